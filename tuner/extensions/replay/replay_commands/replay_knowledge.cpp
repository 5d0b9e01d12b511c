#include "replay_commands/replay_knowledge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "search/strategy.h"

namespace rooftune::replay_commands {
namespace {

/// The index here of a configuration elsewhere; knobs of the other one only do not count.
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
  for (const auto& metric : result.metrics)
    if (metric.value.is_number()) all[metric.name] = metric.value.get<double>();
  return all;
}

}  // namespace

std::vector<std::string> recorded_block_knobs(const Recording& recording,
                                              const std::vector<std::string>& named) {
  std::vector<std::string> found;
  for (const std::string& name : named)
    if (std::any_of(recording.knobs.begin(), recording.knobs.end(),
                    [&](const Knob& knob) { return knob.name == name; }))
      found.push_back(name);
  if (!found.empty()) return found;
  if (recording.format == "Rooftune records") return {};
  return community_block_knobs(recording.knobs);
}

void check_block_knobs(const std::vector<std::string>& files,
                       const std::vector<Recording>& recordings,
                       const std::vector<std::string>& named) {
  if (named.empty()) return;
  std::set<std::string> open(named.begin(), named.end());
  std::vector<std::string> known;
  for (std::size_t i = 0; i < files.size(); ++i)
    for (const Knob& knob : recordings[i].knobs) {
      if (std::find(known.begin(), known.end(), knob.name) == known.end())
        known.push_back(knob.name);
      if (std::find(named.begin(), named.end(), knob.name) == named.end()) continue;
      open.erase(knob.name);
      for (const Value& value : knob.values)
        if (!value.is_number() || value.is_bool() || !(value.real() > 0))
          throw Error(fmt::format("\"{}\" may be {}, which is no number of threads", knob.name,
                                  to_text(value)),
                      files[i] + ": --block-size-names", "knobs whose values are positive numbers");
    }
  if (!open.empty())
    throw Error(fmt::format("no replayed file has a knob \"{}\"", *open.begin()),
                "--block-size-names", fmt::format("of: {}", fmt::join(known, ", ")));
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

}  // namespace rooftune::replay_commands
