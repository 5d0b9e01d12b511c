#include "cli/replay_knowledge.h"

#include <algorithm>
#include <map>

#include "search/block_threads.h"

namespace rooftune {
namespace {

/// The index here of a configuration elsewhere; knobs that only the other has do not count.
std::optional<std::uint64_t> index_here(const SearchSpace& space, const Configuration& other) {
  Configuration configuration;
  for (const Knob& knob : space.knobs()) {
    if (!other.has(knob.name)) return std::nullopt;
    configuration.set(knob.name, other.at(knob.name));
  }
  return space.index(configuration);
}

std::map<std::string, double> counters(const RecordedResult& result) {
  std::map<std::string, double> all;
  for (const Metric& metric : result.metrics)
    if (metric.value.is_number()) all[metric.name] = metric.value.get<double>();
  return all;
}

}  // namespace

std::vector<std::string> recorded_block_knobs(const Recording& recording) {
  if (recording.format == "Rooftune records") return {};
  return community_block_knobs(recording.knobs);
}

ReplayKnowledge::ReplayKnowledge(const Recording& other, const Replay& target,
                                 const std::optional<Machine>& machine)
    : bounds_(target.space().size()), space_(target.space()) {
  std::vector<std::pair<double, std::uint64_t>> ran;
  for (const RecordedResult& result : other.results) {
    const auto index = index_here(space_, result.configuration);
    if (!index) continue;
    ++shared_;
    if (result.outcome == Outcome::ok && result.seconds) ran.push_back({*result.seconds, *index});
    if (!machine) continue;
    if (const auto work = counted_work(counters(result)))
      bounds_[*index] = counted_bound(*work, *machine);
  }
  if (shared_ == 0)
    throw Error("no configuration of these records is one of the replayed space", "--transfer",
                "records of the same kernel with the same knobs");
  std::sort(ran.begin(), ran.end());
  for (std::size_t i = 0; i < std::min(ran.size(), most_of_a_study); ++i)
    fastest_.push_back(space_.configuration(ran[i].second));
}

Knowledge ReplayKnowledge::knowledge() const {
  Knowledge knowledge;
  knowledge.transferred = fastest_;
  const bool any = std::any_of(bounds_.begin(), bounds_.end(),
                               [](const auto& bound) { return bound.has_value(); });
  if (any)
    knowledge.lower_bound = [this](const Configuration& configuration) -> std::optional<double> {
      const auto index = space_.index(configuration);
      if (!index || !bounds_[*index]) return std::nullopt;
      return bounds_[*index]->time.value();
    };
  return knowledge;
}

std::optional<PruningCheck> ReplayKnowledge::check(const Replay& target) const {
  PruningCheck check;
  for (std::uint64_t index = 0; index < bounds_.size(); ++index) {
    const auto truth = target.truth(index);
    if (!bounds_[index] || !truth) continue;
    ++check.counted;
    const double bound = bounds_[index]->time.value();
    if (bound > *truth) ++check.beaten;
    if (bound <= target.optimum()) continue;
    ++check.hopeless;
    if (*truth <= target.optimum()) ++check.wrong;
  }
  if (check.counted == 0) return std::nullopt;
  return check;
}

}  // namespace rooftune
