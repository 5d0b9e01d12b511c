// Findings on walls of traffic from experiments and counts together.
#include "study/wall_findings.h"

#include <algorithm>

#include "study/contenders.h"

namespace rooftune::study {
namespace {

/// Agreement of counts between two runs of one configuration.
constexpr double count_tolerance = 0.02;

std::optional<Counts> counted(const StudyResult& report, const Configuration& configuration) {
  const std::vector<Counts> all = counts_of(report, configuration);
  if (all.empty()) return std::nullopt;
  return combined(all);
}

/// Bytes of one wall at a level; nullopt for a provider without separate counts of it.
std::optional<double> wall_bytes(const StudyResult& report, const Counts& counts,
                                 const std::string& level, const std::string& wall) {
  const bool has_stores = counts.details.contains(level + allocated_suffix);
  const bool has_conflicts = counts.details.contains(level + scattered_suffix);
  if (wall == "write_allocate" ? !has_stores : !has_conflicts) return std::nullopt;
  std::string name = wall;
  std::replace(name.begin(), name.end(), '_', ' ');
  for (const CountedWall& part : counted_walls(counts, level, least_bytes(report, level)))
    if (part.name == name) return part.bytes;
  return std::nullopt;
}

/// Counts of both sides; a time without a change of traffic proves nothing about a wall.
void compare_counts(const StudyResult& report, WallFinding& finding) {
  const Experiment& experiment = finding.experiment;
  if (experiment.knob.empty()) return;
  const auto contender = counted(report, experiment.contender);
  const auto other = counted(report, experiment.other);
  if (!contender || !other) return;
  for (const MemoryLevel& level : report.roofline.machine.levels) {
    auto with = wall_bytes(report, *contender, level.name, experiment.wall);
    auto without = wall_bytes(report, *other, level.name, experiment.wall);
    if (!with || !without) continue;
    if (!experiment.in_front) std::swap(with, without);
    if (!finding.level.empty() && *with - *without < finding.bytes_with - finding.bytes_without)
      continue;
    finding.level = level.name;
    finding.bytes_with = *with;
    finding.bytes_without = *without;
  }
  const bool claims = finding.conclusion.verdict == WallVerdict::stands ||
                      finding.conclusion.verdict == WallVerdict::broken;
  if (!claims || finding.level.empty() ||
      finding.bytes_with > finding.bytes_without * (1 + count_tolerance))
    return;
  finding.conclusion.verdict = WallVerdict::cannot_tell;
  finding.doubt =
      "the times differ, but no level's counted traffic of this wall does: the knob changes "
      "something else";
}

bool concerns(const StudyResult& report, const Experiment& experiment) {
  const auto& contender = experiment.subject == "best" ? report.best : report.baseline;
  return contender && contender->configuration == experiment.contender;
}

}  // namespace

void fill_walls(StudyResult& report, const StudyRecord& study) {
  std::vector<Experiment> all = study.experiments_of(0);
  const bool stored = !all.empty();
  std::erase_if(all, [&](const Experiment& one) { return !concerns(report, one); });
  const auto found = conclusions(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    WallFinding finding;
    finding.experiment = all[i];
    finding.conclusion = found[i];
    compare_counts(report, finding);
    report.walls.push_back(std::move(finding));
  }
  if (!report.walls.empty()) return;
  const auto known = study.experiments.find(0);
  const bool skipped = known != study.experiments.end() && !known->second.absent_because.empty();
  report.no_experiments_because = stored    ? "they were made with an earlier best"
                                  : skipped ? known->second.absent_because
                                            : "the run was interrupted";
}

}  // namespace rooftune::study
