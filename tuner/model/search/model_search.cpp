#include "search/model_search.h"

#include <algorithm>
#include <cmath>

#include "core/list.h"

namespace rooftune::search {
namespace {

/// Conditioning takes candidates x observations^2 / 2 multiplications: 64 million, some 10 ms.
constexpr size_t most_candidates = 5000;
/// How many trials cover the space before a model is worth asking.
constexpr size_t least_first = 8, most_first = 12;
/// The hyperparameters are learnt again when the trials grew by one part in so many.
constexpr size_t learning_share = 6;
/// The neighbours of so many fastest trials are always candidates.
constexpr size_t centres = 5;
constexpr int sweeps = 2;
/// A vast space is searched near its best. Random configurations can hardly be good in all of some
/// thirty knobs, and differ from the best in too many for the model to know anything about them:
/// half of the candidates are a few changes away from the fastest (Regis & Shoemaker 2013). The
/// first trials are fewer and change only some knobs of the best so far: each costs a compiler's
/// time, and far from the hand-written values most are slow to build and to run.
constexpr size_t near_candidates = most_candidates / 2;
constexpr uint64_t least_changes = 2, most_changes = 5;
constexpr size_t first_of_vast = 6;
constexpr double changed_of_vast = 0.3;
/// The same where knobs declare what they are good for: those with a direction, and the others,
/// whose defaults somebody chose with care.
constexpr double changed_of_declared = 0.5, changed_of_others = 0.15;
/// Trials up to so many times slower than the best show which values good ones have. What they all
/// share came together by chance, and few trials give a model no reason to question it.
constexpr double slowest_good = 1.5;
/// The speed-up (logarithm) expected from a default in place of a value without a known direction.
constexpr double of_default = 0.05;
/// Where improvement per second does not rank the trials: a trial that costs e times as much must
/// be expected to run faster by so much, as a logarithm.
constexpr double dear = 0.5;
/// Smaller gains (logarithm) are noise, and a trial without a build costs next to nothing: divided
/// by their cost, ties between schedules and pages would come before any change to the code. A gain
/// counts beyond the first figure, and a trial's price up to so many times the cheapest.
constexpr double least_gain = 0.02, most_price = 4;
/// Most trials to learn success from; where there are more, each stands for several.
constexpr size_t most_feasibility_trials = 200;

}  // namespace

ModelSearch::ModelSearch(const SearchSpace& the_space, ModelPolicy policy)
    : SearchState(the_space),
      policy_(std::move(policy)),
      baseline_(the_space.assignment(the_space.index(the_space.baseline()).value())),
      distances_(std::make_shared<KnobDistances>(the_space, policy_.divisibility)),
      cost_(the_space) {
  size_t knobs = 0;
  for (const Knob& knob : space.knobs()) knobs += knob.values.size() > 1 ? 1 : 0;
  first_ = std::clamp(knobs, least_first, most_first);
  if (is_vast()) {
    first_ = first_of_vast;
    policy_.before.changed = changed_at_first();
  }
  hyperparameters_.weights = distances_->expected_weights();
  for (size_t c = 0; c < hyperparameters_.weights.size() && !policy_.relevance.empty(); ++c)
    hyperparameters_.weights[c] *= policy_.relevance[distances_->knobs()[c]];
}

void ModelSearch::add(const Observation& observed) {
  const bool better = observed.ok && (!best() || observed.seconds < best()->seconds);
  SearchState::add(observed);
  if (!observed.failed) ++ran_;
  if (policy_.before.apart.contains(observed.index)) ++apart_;
  if (observed.ok && policy_.lower_bound && !disproved_) {
    const auto bound = policy_.lower_bound(observed.index);
    disproved_ = bound && *bound > observed.seconds;
  }
  const size_t own = own_trials();
  if (own < first_ || !best()) {
    if (policy_.per_second) cost_.learn(all());
    return;
  }
  // From the dearest to the cheapest: learn all anew; keep the hyperparameters, but choose
  // observations and candidates again, when the posterior is full or there is a new best whose
  // neighbours should be candidates; add the trial to the posterior.
  if (!posterior_ || own >= next_learning_) {
    learn(observed.entropy);
    next_learning_ = own + std::max<size_t>(1, own / learning_share);
  } else if (posterior_->full() || (better && !enumerable())) {
    condition(observed.entropy);
  } else {
    if (observed.ok)
      posterior_->observe(observed.point, observed.log_seconds - expected(observed.point) - mean_,
                          noise_of(observed));
    // The first failure: earlier successes count as well.
    if (ran_ + 1 == all().size() && observed.failed)
      learn_feasibility();
    else if (ran_ < all().size())
      posterior_->observe_feasibility(observed.point, !observed.failed);
  }
}

void ModelSearch::suppose(const Observation& pending) {
  SearchState::add(pending);
  ++ran_;
  const auto at = number_of(pending.point);
  if (at && !posterior_->full()) posterior_->observe(pending.point, posterior_->mean(*at));
}

std::optional<size_t> ModelSearch::number_of(const Assignment& point) const {
  if (!posterior_) return std::nullopt;
  const auto& points = posterior_->candidates();
  const auto found = std::ranges::find(points, point);
  if (found == points.end()) return std::nullopt;
  return size_t(found - points.begin());
}

bool ModelSearch::enumerable() const { return space.size() <= most_candidates; }

bool ModelSearch::is_vast() const { return space.size() >= vast; }

Numbers ModelSearch::changed_at_first() const {
  Numbers changed(space.knobs().size(), policy_.declared ? changed_of_others : changed_of_vast);
  if (!policy_.declared) return changed;
  const double fallback = policy_.declared(baseline_);
  for (const size_t k : indices(changed)) {
    Assignment point = baseline_;
    for (const size_t v : indices(space.knobs()[k].values)) {
      point[k] = uint32_t(v);
      if (policy_.declared(point) != fallback) changed[k] = changed_of_declared;
    }
  }
  return changed;
}

void ModelSearch::learn(uint64_t entropy) {
  choose_observations();
  hyperparameters_ =
      fitted_hyperparameters(*distances_, xs_, ys_, std::move(hyperparameters_), sweeps, noises_);
  condition(entropy);
}

void ModelSearch::choose_observations() {
  ObservationRefs ran = fastest(*this, all().size());
  // Trials taken from elsewhere, unless the best here, lie together: learnt from, they bend the
  // model more than they inform it (docs/strategies.md).
  std::erase_if(ran, [this](const Observation* o) {
    return o->index != best()->index && policy_.before.apart.count(o->index) != 0;
  });
  keep_for_learning(ran);
  xs_.clear();
  ys_.clear();
  mean_ = 0;
  for (const Observation* o : ran) {
    xs_.push_back(&o->point);
    ys_.push_back(o->log_seconds - expected(o->point));
    mean_ += ys_.back() / double(ran.size());
  }
  double squares = 0;
  for (double& y : ys_) {
    y -= mean_;
    squares += y * y;
  }
  spread_ = squares > 0 ? squares / double(ys_.size()) : 1;
  noises_.clear();
  for (const Observation* o : ran) noises_.push_back(noise_of(*o));
}

double ModelSearch::noise_of(const Observation& observed) const {
  constexpr double most = 10;
  return std::min(observed.variance / spread_, most);
}

void ModelSearch::condition(uint64_t entropy) {
  choose_observations();
  posterior_.emplace(*distances_, hyperparameters_, candidates(entropy), most_observations);
  expected_.clear();
  for (const Assignment& point : posterior_->candidates()) expected_.push_back(expected(point));
  costs_.clear();
  if (policy_.per_second) cost_.learn(all());
  for (const Assignment& point : posterior_->candidates())
    if (cost_.known()) costs_.push_back(cost_(point));
  cheapest_ = costs_.empty() ? 0 : *min_element(costs_);
  posterior_->observe(xs_, ys_, noises_);
  learn_feasibility();
}

void ModelSearch::learn_feasibility() {
  if (ran_ == all().size()) return;
  ObservationRefs sides[2];  // failed, ran
  for (const Observation& o : all()) sides[o.failed ? 0 : 1].push_back(&o);
  for (const auto& side : sides) {
    const size_t some = std::min(side.size(), most_feasibility_trials / 2);
    const double each = double(side.size()) / double(some);
    for (size_t i = 0; i < some; ++i) {
      const Observation& o = *side[i * side.size() / some];
      posterior_->observe_feasibility(o.point, !o.failed, each);
    }
  }
}

Assignments ModelSearch::candidates(uint64_t entropy) {
  std::vector<uint64_t> chosen;
  if (enumerable()) {
    for (uint64_t index = 0; index < space.size(); ++index)
      if (!tried(index)) chosen.push_back(index);
  } else {
    const auto near = fastest(*this, centres);
    for (const Observation* centre : near)
      for (const uint64_t index : open_neighbours(*this, centre->point)) chosen.push_back(index);
    Rng rng(entropy, all().size());
    for (size_t draw = 0; is_vast() && draw < near_candidates && !near.empty(); ++draw) {
      const uint64_t changes = least_changes + rng.below(most_changes - least_changes + 1);
      Assignment point = perturbed(space, near[draw % near.size()]->point, changes, rng);
      space.normalise(point);
      if (const auto index = open(point)) chosen.push_back(*index);
    }
    for (size_t draw = chosen.size(); draw < most_candidates; ++draw)
      if (const uint64_t index = rng.below(space.size()); !tried(index)) chosen.push_back(index);
    sort(chosen);
    drop_repeats(chosen);
  }
  Assignments points;
  for (const uint64_t index : chosen)
    if (!dominated(index)) points.push_back(space.assignment(index));
  return points;
}

bool ModelSearch::dominated(uint64_t index) const {
  if (!policy_.lower_bound || disproved_ || !best()) return false;
  const auto bound = policy_.lower_bound(index);
  return bound && *bound > best()->seconds;
}

double ModelSearch::improvement(size_t candidate, double gain, double deviation) const {
  if (!costs_.empty()) gain -= least_gain;
  if (gain < -8 * deviation) return 0;
  return expected_improvement(gain, deviation) *
         posterior_->feasibility(candidate, double(ran_) / double(all().size())) / price(candidate);
}

double ModelSearch::price(size_t candidate) const {
  return costs_.empty() ? 1 : std::min(costs_[candidate], most_price * cheapest_);
}

std::optional<uint64_t> ModelSearch::most_promising() const {
  const double scale = std::sqrt(posterior_->signal());
  const double target = best()->log_seconds - mean_;
  std::optional<uint64_t> chosen;
  double most = -1;
  for (const size_t c : indices(posterior_->candidates())) {
    const double deviation = scale * std::sqrt(posterior_->variance(c));
    const double gain = target - mean(c);
    const double value = improvement(c, gain, deviation);
    if (value <= most) continue;
    const auto index = open(posterior_->candidates()[c]);
    if (!index) continue;
    most = value;
    chosen = index;
  }
  return chosen;
}

double ModelSearch::declared_gain(const Assignment& neighbour,
                                  const std::vector<std::vector<bool>>& good) const {
  const Assignment &fallback = baseline_, &point = best()->point;
  bool back = false, forth = false;
  for (const size_t k : indices(good)) {
    if (neighbour[k] == point[k] || good[k][neighbour[k]]) continue;
    (neighbour[k] == fallback[k] ? back : forth) = true;
  }
  if (!policy_.declared || !(back || forth)) return 0;
  const double gain = policy_.declared(point) - policy_.declared(neighbour);
  return std::max(gain, gain == 0 && back && !forth ? of_default : 0.0);
}

std::optional<uint64_t> ModelSearch::best_neighbour() const {
  std::vector<std::vector<bool>> good;
  for (const Knob& knob : space.knobs()) good.emplace_back(knob.values.size());
  for (const Observation& observed : all()) {
    if (!observed.ok || observed.seconds > slowest_good * best()->seconds) continue;
    for (const size_t k : indices(good)) good[k][observed.point[k]] = true;
  }
  std::optional<uint64_t> chosen;
  double least = HUGE_VAL, most = 0;
  for (const uint64_t index : open_neighbours(*this, best()->point)) {
    const Assignment point = space.assignment(index);
    const auto candidate = number_of(point);
    if (!candidate) continue;
    const size_t c = *candidate;
    // Few knobs: the optimistic end of the forecast ranks, since expected improvement is next to
    // nothing beside the best, where the model is sure. With many knobs the model is not.
    const double deviation = std::sqrt(posterior_->signal() * posterior_->variance(c));
    const double rank = is_vast()
                            ? -improvement(c, best()->log_seconds - mean_ - mean(c), deviation)
                            : mean(c) - deviation + dear * std::log(price(c));
    const double gain = declared_gain(point, good) / price(c);
    if (gain < most || (gain == most && rank >= least)) continue;
    least = rank;
    most = gain;
    chosen = index;
  }
  return chosen;
}

std::optional<uint64_t> ModelSearch::propose(Rng& rng) const {
  if (!posterior_) {
    Preference before = policy_.before;
    if (cost_.known())
      before.expected = [this](const Assignment& point) {
        return expected(point) + dear * std::log(cost_(point));
      };
    return covering_draw(*this, rng, before);
  }
  if (policy_.exploit_every > 0 && own_trials() % policy_.exploit_every == 0)
    if (const auto index = best_neighbour()) return index;
  return most_promising();
}

}  // namespace rooftune::search
