#include "replay_commands/replay_knowledge.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

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

}  // namespace

std::vector<std::string> recorded_block_knobs(const Recording& recording,
                                              const std::vector<std::string>& named) {
  std::vector<std::string> found;
  for (const std::string& name : named)
    if (std::any_of(recording.knobs.begin(), recording.knobs.end(),
                    [&](const Knob& knob) { return knob.name == name; }))
      found.push_back(name);
  if (!found.empty()) return found;
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

TransferredKnowledge transferred_knowledge(const Recording& other, const Replay& target) {
  TransferredKnowledge result;
  std::vector<std::pair<double, std::uint64_t>> ran;
  for (const RecordedResult& one : other.results) {
    const auto index = index_here(target.space, one.configuration);
    if (!index) continue;
    ++result.shared;
    if (one.outcome == Outcome::ok && one.seconds) ran.push_back({*one.seconds, *index});
  }
  if (result.shared == 0)
    throw Error("no configuration of these records is one of the replayed space", "--transfer",
                "records of the same kernel with the same knobs");
  std::sort(ran.begin(), ran.end());
  ran.resize(std::min(ran.size(), most_of_a_study));
  for (const auto& [seconds, index] : ran)
    result.knowledge.transferred.push_back(target.space.configuration(index));
  return result;
}

}  // namespace rooftune::replay_commands
