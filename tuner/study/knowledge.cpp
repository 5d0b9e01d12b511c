#include "study/knowledge.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/kernel.h"
#include "search/block_threads.h"
#include "store/study_store.h"

namespace rooftune::inline study {
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

std::vector<StudyRecord> other_studies(const StudyHeader& header,
                                       const std::filesystem::path& results) {
  std::vector<StudyRecord> others;
  for (const StudyFiles& files : study_files(results))
    if (files.kernel == header.kernel && files.backend == header.backend && files.id != header.id)
      if (auto other = read_study(results, files.kernel, files.backend, files.id))
        others.push_back(std::move(*other));
  std::stable_partition(others.begin(), others.end(), [&](const StudyRecord& other) {
    return other.header.machine_id == header.machine_id;
  });
  return others;
}

TransferSource source_of(const StudyRecord& study) {
  TransferSource source;
  source.study = study.header.id;
  source.machine = study.header.machine;
  source.digest = fmt::format("{:016x}", study.history.fingerprint(study.history.size()));
  source.trials = study.history.size();
  source.problem = json_text(study.header.problem);
  return source;
}

Transfer best_elsewhere(const SearchSpace& space, const StudyHeader& header,
                        const std::filesystem::path& results) {
  const std::vector<StudyRecord> others = other_studies(header, results);
  Transfer transfer;
  for (const StudyRecord& other : others) transfer.sources.push_back(source_of(other));
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

/// The paradigms that this input's bound and walls ask for.
Paradigms wanted(const PreparedInput& input) {
  Paradigms paradigms;
  if (const auto* binds = ceiling_named(input.roofline.machine.ceilings, input.bound.ceiling))
    paradigms = binds->requirements;
  // Walls are locality: what breaks them reaches the bound.
  for (const Wall& wall : input.roofline.traffic.walls) paradigms.insert(wall.lacks);
  return paradigms;
}

/// The least time of one configuration for the objective: of each input its own, 0 where nothing is
/// certain of it, which a mean cannot use.
std::optional<LeastTime> least_of_all(const PreparedStudy& study,
                                      const std::vector<LeastTimeOf>& all,
                                      const Configuration& configuration) {
  const bool mean = study.objective->aim() == Objective::Aim::mean;
  std::vector<double> seconds;
  LeastTime worst;
  double largest = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto least = all[i] ? all[i](configuration) : std::nullopt;
    if (!least && mean) return std::nullopt;
    seconds.push_back(least ? least->time.value() : 0);
    const double gap = seconds.back() / study.objective->bounds()[i];
    if (gap <= largest) continue;
    largest = gap;
    worst.because = fmt::format("{} of all inputs; on {}: {}", described(study.objective->aim()),
                                study.inputs[i]->model.name, least->because);
  }
  if (largest == 0) return std::nullopt;
  worst.time = Seconds(study.objective->time(seconds));
  return worst;
}

void require_walls(const PreparedStudy& study) {
  std::vector<std::string> names;
  for (const WallFormula& wall : study.kernel.walls) names.push_back(wall.name);
  for (const WallStatement& statement : study.first().movements.walls())
    if (std::find(names.begin(), names.end(), statement.wall) == names.end())
      throw Error("kernel " + study.kernel.name + " has no wall \"" + statement.wall + "\"",
                  study.space_file.file.string() + ": /walls",
                  fmt::format("one of: {}", fmt::join(names, ", ")));
}

}  // namespace

std::optional<Transfer> transfer_of(const SearchSpace& space, const StudyHeader& header,
                                    bool wanted, const std::optional<StudyRecord>& stored,
                                    const std::filesystem::path& results) {
  if (stored && stored->setup && stored->setup->transfer) return stored->setup->transfer;
  if (!wanted) return std::nullopt;
  return best_elsewhere(space, header, results);
}

Knowledge knowledge_of(const PreparedStudy& study) {
  Knowledge knowledge;
  for (const auto& input : study.inputs) knowledge.wanted.merge(wanted(*input));
  if (study.on_gpu()) {
    const std::vector<Knob>& knobs = study.first().space->knobs();
    const auto launched = block_knobs_of_launch(study.kernel, knobs);
    knowledge.block_knobs = launched ? *launched : own_block_knobs(knobs);
  }
  return knowledge;
}

LeastTimeOf least_times(const PreparedStudy& study) {
  require_walls(study);
  std::vector<LeastTimeOf> all;
  for (const auto& input : study.inputs)
    all.push_back(least_times(*input->space, input->movements, input->roofline));
  if (!study.objective) return all.front();
  if (std::none_of(all.begin(), all.end(), [](const LeastTimeOf& least) { return bool(least); }))
    return {};
  return [&study, all](const Configuration& configuration) {
    return least_of_all(study, all, configuration);
  };
}

std::set<std::string> bound_knobs(const PreparedStudy& study) {
  std::set<std::string> names;
  for (const auto& input : study.inputs) names.merge(bound_knobs(*input->space, input->movements));
  return names;
}

}  // namespace rooftune::inline study
