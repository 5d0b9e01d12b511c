// Some constraints tie all knobs together (a product of ten of them must fit a cache), and then no
// order keeps the diagram small. The diagram holds as many conditions as fit, those on few
// combinations first; it allows too much. The others are checked while walking down from its root.
//
// A walk takes each open branch in proportion to the assignments below it and multiplies the shares
// of the open ones into a weight w. It ends at an allowed assignment with probability 1 / (N w),
// where N is the size of the diagram. Hence (Knuth, Mathematics of Computation 29, 1975):
//  - the mean weight, 0 for walks that end early, times N is the number of allowed assignments;
//  - a walk accepted with probability w gives a uniform draw. This is best, as long as
//    weights are not too small.
// With small weights one of several walks is picked by weight, which is nearly uniform (importance
// resampling). Where walks hardly ever arrive, they turn back at dead ends, with a bias to easy
// finds, and random steps afterwards spread the draws. The choice depends on a pilot of walks and
// is reported to the user.
#include "space/relaxed_diagram.h"

#include <algorithm>
#include <cmath>

namespace rooftune::space {
namespace {

/// Attempts to add single conditions after the first ones.
constexpr int attempts = 16;
constexpr std::size_t most_pilots = 100'000, enough_arrivals = 2'000;
/// Rejection costs 1 / mean walks per draw; beyond this it is too slow.
constexpr double uniform_mean = 1.0 / 64;
/// The same for walks of which several must arrive before one is picked.
constexpr double weighted_arrival = 1.0 / 256;
constexpr int picks = 8;
/// Most partial assignments in a search for one allowed assignment, with and without chance.
constexpr std::uint64_t most_steps = 2'000, most_first_steps = 1'000'000;
constexpr int restarts = 4;
/// Steps per knob after a search, so easy finds come less often.
constexpr std::size_t random_steps = 10;

/// One branch in proportion to the configurations below it; `sum` is all of them.
std::size_t picked(const std::vector<Diagram::Branch>& open, double sum, Rng& rng) {
  double at = rng.unit() * sum;
  std::size_t i = 0;
  while (i + 1 < open.size() && (at -= open[i].below) >= 0) ++i;
  return i;
}

double below(const std::vector<Diagram::Branch>& branches) {
  double sum = 0;
  for (const Diagram::Branch& branch : branches) sum += branch.below;
  return sum;
}

}  // namespace

/// Depth first, back from dead ends.
class RelaxedDiagram::Search {
 public:
  Search(const RelaxedDiagram& diagram, Rng* rng, std::uint64_t step_limit, WrongTypePolicy policy)
      : diagram_(diagram),
        rng_(rng),
        step_limit_(step_limit),
        policy_(policy),
        registers_(diagram.registers_),
        found_(diagram.knobs_) {}

  /// nullopt: there is none, or the limit of steps was reached.
  std::optional<Assignment> run() {
    const std::size_t depth = diagram_.steps_.size();
    if (diagram_.diagram_->empty()) return std::nullopt;
    if (depth == 0) return found_;
    std::vector<std::vector<Diagram::Branch>> open{diagram_.open(0, 0, registers_, policy_)};
    while (!open.empty()) {
      if (open.back().empty()) {
        open.pop_back();
        continue;
      }
      if (++tried_ > step_limit_) return std::nullopt;
      const std::size_t level = open.size() - 1;
      const Diagram::Branch branch = taken(open.back());
      survives(diagram_.graph_, diagram_.steps_[level], branch.value, registers_, policy_);
      found_[diagram_.steps_[level].knob] = branch.value;
      if (open.size() == depth) return found_;
      open.push_back(diagram_.open(level + 1, branch.child, registers_, policy_));
    }
    return std::nullopt;
  }
  bool within_limit() const { return tried_ <= step_limit_; }

 private:
  Diagram::Branch taken(std::vector<Diagram::Branch>& open) {
    const auto chosen =
        open.begin() +
        static_cast<std::ptrdiff_t>(rng_ ? picked(open, below(open), *rng_) : std::size_t{0});
    const Diagram::Branch branch = *chosen;
    open.erase(chosen);
    return branch;
  }

  const RelaxedDiagram& diagram_;
  Rng* rng_;
  std::uint64_t step_limit_, tried_ = 0;
  WrongTypePolicy policy_;
  std::vector<Scalar> registers_;
  Assignment found_;
};

RelaxedDiagram::RelaxedDiagram(const ExpressionGraph& graph, std::size_t knobs,
                               std::vector<NodeId> conditions, const DiagramLimit& limit)
    : graph_(graph), knobs_(knobs), registers_(graph.registers()) {
  std::sort(conditions.begin(), conditions.end());
  conditions.erase(std::unique(conditions.begin(), conditions.end()), conditions.end());
  conditions_ = conditions.size();
  choose(std::move(conditions), limit);
  steps_.resize(diagram_->depth());
  for (std::size_t level = 0; level < steps_.size(); ++level)
    steps_[level].knob = diagram_->knob(level);
  assign_programs(graph_, left_out_, steps_);
  look_around();
}

void RelaxedDiagram::choose(std::vector<NodeId> conditions, const DiagramLimit& limit) {
  const auto weight = [&](NodeId condition) {
    double combinations = 0;
    for (const std::size_t knob : graph_.knobs_below(condition))
      combinations += std::log2(static_cast<double>(graph_.values(knob).size()));
    return combinations;
  };
  // Ordered for all conditions, so walks can check those left out early.
  const auto built = [&](const std::vector<NodeId>& held, const DiagramLimit& most) {
    try {
      return std::optional<Diagram>(std::in_place, graph_, knobs_, held, most,
                                    WrongTypePolicy::fault, conditions);
    } catch (const DiagramTooLarge&) {
      return std::optional<Diagram>();
    }
  };
  std::stable_sort(conditions.begin(), conditions.end(),
                   [&](NodeId a, NodeId b) { return weight(a) < weight(b); });
  // As many of the conditions on few combinations as a diagram holds.
  std::size_t fits = 0, too_many = conditions.size() + 1;
  diagram_ = built({}, {limit.bytes, ~std::uint64_t{0}});
  while (too_many - fits > 1) {
    const std::size_t middle = fits + (too_many - fits) / 2;
    const std::vector<NodeId> some(conditions.begin(),
                                   conditions.begin() + static_cast<std::ptrdiff_t>(middle));
    if (auto diagram = built(some, limit)) {
      diagram_ = std::move(diagram);
      fits = middle;
    } else {
      too_many = middle;
    }
  }
  std::vector<NodeId> held(conditions.begin(),
                           conditions.begin() + static_cast<std::ptrdiff_t>(fits));
  for (std::size_t c = fits; c < conditions.size(); ++c) {
    held.push_back(conditions[c]);
    auto diagram = c > fits && c <= fits + attempts ? built(held, limit) : std::nullopt;
    if (diagram) {
      diagram_ = std::move(diagram);
      continue;
    }
    held.pop_back();
    left_out_.push_back(conditions[c]);
  }
}

void RelaxedDiagram::look_around() {
  Search search(*this, nullptr, most_first_steps, WrongTypePolicy::fault);
  first_ = search.run();
  if (!first_ && search.within_limit()) return;
  double squares = 0;
  for (; pilot_.walks < most_pilots && pilot_.arrived < enough_arrivals; ++pilot_.walks) {
    Rng rng(0, pilot_.walks);
    const Walk tried = walk(rng, WrongTypePolicy::fault);
    if (!tried.end) continue;
    if (!first_) first_ = tried.end;
    ++pilot_.arrived;
    pilot_.mean += tried.weight;
    squares += tried.weight * tried.weight;
  }
  const auto walks = static_cast<double>(pilot_.walks);
  const auto arrived = static_cast<double>(pilot_.arrived);
  if (pilot_.arrived > 1) {
    const double mean = pilot_.mean / arrived;
    pilot_.spread = std::sqrt(std::max(0.0, squares / arrived - mean * mean)) / mean;
  }
  pilot_.mean /= walks;
  pilot_.deviation = std::sqrt(std::max(0.0, squares / walks - pilot_.mean * pilot_.mean) / walks);
  if (pilot_.mean >= uniform_mean)
    how_ = Draw::uniform;
  else
    how_ = arrived / walks >= weighted_arrival ? Draw::weighted : Draw::searched;
  if (how_ != Draw::searched) return;
  Rng rng(0, 0);
  if (!first_) first_ = searched_draw(rng);
  if (!first_) throw Undecided{most_first_steps + pilot_.walks};
}

std::vector<Diagram::Branch> RelaxedDiagram::open(std::size_t level, std::uint32_t node,
                                                  std::vector<Scalar>& registers,
                                                  WrongTypePolicy policy) const {
  std::vector<Diagram::Branch> branches = diagram_->branches(level, node);
  std::erase_if(branches, [&](const Diagram::Branch& branch) {
    return !survives(graph_, steps_[level], branch.value, registers, policy);
  });
  return branches;
}

RelaxedDiagram::Walk RelaxedDiagram::walk(Rng& rng, WrongTypePolicy policy) const {
  std::vector<Scalar> registers = registers_;
  Walk made;
  Assignment assignment(knobs_);
  double weight = 1;
  std::uint32_t node = 0;
  for (std::size_t level = 0; level < steps_.size(); ++level) {
    Diagram::Branch chosen{};
    if (steps_[level].program.empty()) {
      chosen = diagram_->draw_branch(level, node, rng);
    } else {
      const std::vector<Diagram::Branch> open = this->open(level, node, registers, policy);
      if (open.empty()) return made;
      const double sum = below(open);
      weight *= sum / below(diagram_->branches(level, node));
      chosen = open[picked(open, sum, rng)];
    }
    survives(graph_, steps_[level], chosen.value, registers, policy);
    assignment[steps_[level].knob] = chosen.value;
    node = chosen.child;
  }
  made.end = std::move(assignment);
  made.weight = weight;
  return made;
}

bool RelaxedDiagram::contains(const Assignment& assignment) const {
  if (!diagram_->contains(assignment)) return false;
  std::vector<Scalar> registers = registers_;
  return std::all_of(steps_.begin(), steps_.end(), [&](const DiagramStep& step) {
    return survives(graph_, step, assignment[step.knob], registers, WrongTypePolicy::refusal);
  });
}

Assignment RelaxedDiagram::weighted_draw(Rng& rng) const {
  std::optional<Assignment> picked;
  double sum = 0;
  for (int arrived = 0; arrived < picks;) {
    Walk tried = walk(rng, WrongTypePolicy::refusal);
    if (!tried.end) continue;
    ++arrived;
    sum += tried.weight;
    if (!picked || rng.unit() * sum < tried.weight) picked = std::move(tried.end);
  }
  return *picked;
}

Assignment RelaxedDiagram::draw(Rng& rng) const {
  if (how_ == Draw::weighted) return weighted_draw(rng);
  while (how_ == Draw::uniform) {
    Walk tried = walk(rng, WrongTypePolicy::refusal);
    if (tried.end && rng.unit() < tried.weight) return *tried.end;
  }
  return moved(searched_draw(rng).value_or(*first_), rng);
}

Assignment RelaxedDiagram::moved(Assignment allowed, Rng& rng) const {
  for (std::size_t step = 0; step < random_steps * knobs_; ++step) {
    const std::size_t knob = rng.below(knobs_);
    const std::uint32_t before = allowed[knob];
    allowed[knob] = static_cast<std::uint32_t>(rng.below(graph_.values(knob).size()));
    if (allowed[knob] != before && !contains(allowed)) allowed[knob] = before;
  }
  return allowed;
}

std::optional<Assignment> RelaxedDiagram::searched_draw(Rng& rng) const {
  for (int restart = 0; restart < restarts; ++restart) {
    Search search(*this, &rng, most_steps, WrongTypePolicy::refusal);
    if (auto found = search.run()) return found;
  }
  return std::nullopt;
}

}  // namespace rooftune::space
