#include "cli/study_knowledge.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/block_sides.h"
#include "search/block_threads.h"

namespace rooftune {
namespace {

constexpr std::size_t most_transferred = 12;

/// The configuration with the knobs and values of this space; what the other lacks is the default.
std::optional<Configuration> translated(const SearchSpace& space, const Configuration& other) {
  Configuration configuration = space.baseline();
  for (const Knob& knob : space.knobs())
    if (other.has(knob.name) && knob.index_of(other.at(knob.name)) < knob.values.size())
      configuration.set(knob.name, other.at(knob.name));
  configuration = space.normalised(std::move(configuration));
  if (!space.allowed(configuration)) return std::nullopt;
  return configuration;
}

std::vector<StoredStudy> other_studies(const StudyHeader& header,
                                       const std::filesystem::path& results) {
  std::vector<StoredStudy> others;
  for (StoredStudy& other : read_studies(results))
    if (other.header.kernel == header.kernel && other.header.backend == header.backend &&
        other.header.id != header.id)
      others.push_back(std::move(other));
  std::stable_partition(others.begin(), others.end(), [&](const StoredStudy& other) {
    return other.header.machine_id == header.machine_id;
  });
  return others;
}

TransferSource source_of(const StoredStudy& study) {
  TransferSource source;
  source.study = study.header.id;
  source.machine = study.header.machine;
  source.digest = fmt::format("{:016x}", study.history.fingerprint(study.history.size()));
  source.trials = study.history.size();
  source.problem = study.header.problem.dump();
  return source;
}

Transfer best_elsewhere(const SearchSpace& space, const StudyHeader& header,
                        const std::filesystem::path& results) {
  const std::vector<StoredStudy> others = other_studies(header, results);
  Transfer transfer;
  for (const StoredStudy& other : others) transfer.sources.push_back(source_of(other));
  auto& all = transfer.proposals;
  // The best of every study, then the second of every study, and so on.
  for (std::size_t rank = 0; rank < most_of_a_study; ++rank)
    for (std::size_t i = 0; i < others.size(); ++i) {
      const auto fastest = others[i].history.fastest(rank + 1);
      if (fastest.size() <= rank || all.size() == most_transferred) continue;
      const auto configuration = translated(space, fastest[rank]->configuration);
      if (!configuration || std::find(all.begin(), all.end(), *configuration) != all.end())
        continue;
      all.push_back(*configuration);
      transfer.sources[i].proposals.push_back(*configuration);
    }
  std::erase_if(transfer.sources,
                [](const TransferSource& source) { return source.proposals.empty(); });
  return transfer;
}

}  // namespace

std::optional<Transfer> transfer_of(const SearchSpace& space, const StudyHeader& header,
                                    bool wanted, const std::optional<StoredStudy>& stored,
                                    const std::filesystem::path& results) {
  if (stored)
    if (const auto setup = stored->latest.find("setup");
        setup != stored->latest.end() && setup->second.contains("transfer"))
      return transfer_from_json(setup->second.at("transfer"), "transfer of study " + header.id);
  if (!wanted) return std::nullopt;
  return best_elsewhere(space, header, results);
}

Knowledge study_knowledge(const ReadyStudy& study) {
  Knowledge knowledge;
  for (const Ceiling& ceiling : study.roofline.machine.ceilings)
    if (ceiling.name == study.bound->ceiling)
      knowledge.binding.insert(ceiling.requirements.begin(), ceiling.requirements.end());
  // Walls are locality: what breaks them reaches the bound.
  for (const Wall& wall : study.roofline.traffic.walls) knowledge.binding.insert(wall.breaks);
  if (study.backend.name == "cuda") {
    const std::vector<Knob>& knobs = study.space->knobs();
    const auto launched = block_knobs_of_launch(study.kernel, knobs);
    knowledge.block_knobs = launched ? *launched : own_block_knobs(knobs);
  }
  return knowledge;
}

LeastTimeOf least_times(const ReadyStudy& study) {
  for (const Compulsion& compulsion : study.compulsions.all()) {
    std::vector<std::string> names;
    for (const WallFormula& wall : study.kernel.walls) names.push_back(wall.name);
    if (std::find(names.begin(), names.end(), compulsion.wall) != names.end()) continue;
    throw Error("kernel " + study.kernel.name + " has no wall \"" + compulsion.wall + "\"",
                study.space_file.string() + ": /walls",
                fmt::format("one of: {}", fmt::join(names, ", ")));
  }
  return least_times(*study.space, study.compulsions, study.roofline);
}

}  // namespace rooftune
