// The strategy "local": from the baseline to better neighbours, knobs that helped before first;
// when no neighbour is left, from a perturbation of the best or from anywhere, in turn.
#include <algorithm>

#include "search/strategy.h"
#include "search/untried.h"
#include "search/walk.h"

namespace rooftune {
namespace {

/// Tries to find an untried perturbation of the best before a uniform draw takes its place.
constexpr int most_perturbations = 20;
constexpr std::uint64_t least_changes = 2, most_changes = 4;

struct Candidate {
  Configuration configuration;
  double weight;
};

/// Neighbours worth a try; the weight is the knob's usefulness, shared among its values, nearer
/// ones first.
std::vector<Candidate> candidates(const SearchSpace& space, const History& history,
                                  const Walk& walk) {
  std::vector<Candidate> result;
  std::map<std::string, int> seen;
  for (auto& neighbour : space.neighbours(walk.here()->configuration)) {
    const std::string knob = changed_knob(space, walk.here()->configuration, neighbour);
    const int rank = ++seen[knob];
    if (history.tried(neighbour) || walk.doubtful(neighbour)) continue;
    result.push_back({std::move(neighbour), walk.usefulness(knob) / rank});
  }
  return result;
}

Configuration drawn(const std::vector<Candidate>& all, Rng& rng) {
  double sum = 0;
  for (const auto& candidate : all) sum += candidate.weight;
  double left = rng.unit() * sum;
  for (const auto& candidate : all) {
    left -= candidate.weight;
    if (left < 0) return candidate.configuration;
  }
  return all.back().configuration;
}

/// The configuration with a few knobs set to other values; it need not be allowed.
Configuration perturbed(const SearchSpace& space, Configuration configuration, Rng& rng) {
  std::vector<const Knob*> open;
  for (const auto& knob : space.knobs())
    if (knob.values.size() > 1) open.push_back(&knob);
  const std::uint64_t wanted = least_changes + rng.below(most_changes - least_changes + 1);
  for (std::uint64_t change = 0; change < wanted && !open.empty(); ++change) {
    const auto at = static_cast<std::ptrdiff_t>(rng.below(open.size()));
    const Knob& knob = *open[static_cast<std::size_t>(at)];
    open.erase(open.begin() + at);
    const std::size_t current = knob.index_of(configuration.at(knob.name));
    const std::size_t other = rng.below(knob.values.size() - 1);
    configuration.set(knob.name, knob.values[other < current ? other : other + 1]);
  }
  return space.normalised(std::move(configuration));
}

std::optional<Configuration> restart(const SearchSpace& space, const History& history,
                                     const Walk& walk, Rng& rng) {
  const Trial* best = history.best();
  const bool near_best = walk.restarts() % 2 == 0;
  for (int attempt = 0; best && near_best && attempt < most_perturbations; ++attempt) {
    Configuration configuration = perturbed(space, best->configuration, rng);
    if (!history.tried(configuration) && !walk.doubtful(configuration) &&
        space.allowed(configuration))
      return configuration;
  }
  return random_untried(space, history, rng, [&](const Configuration& configuration) {
    return !walk.doubtful(configuration);
  });
}

class Local : public Strategy {
 public:
  std::optional<Configuration> propose(const SearchSpace& space, const History& history,
                                       Rng& rng) const override {
    Configuration baseline = space.baseline();
    if (!history.tried(baseline)) return baseline;
    const Walk walk(space, history);
    // A record may come from a space that was edited since.
    if (walk.here() && space.allowed(walk.here()->configuration)) {
      const auto open = candidates(space, history, walk);
      if (!open.empty()) return drawn(open, rng);
    }
    return restart(space, history, walk, rng);
  }
};

}  // namespace

std::unique_ptr<Strategy> make_local() { return std::make_unique<Local>(); }

}  // namespace rooftune
