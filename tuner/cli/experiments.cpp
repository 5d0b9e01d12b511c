#include "cli/experiments.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/anchors.h"
#include "cli/contenders.h"
#include "cli/counting.h"
#include "core/units.h"
#include "os/interruption.h"

namespace rooftune {
namespace {

constexpr double experiment_share = 0.1, experiment_floor_seconds = 15;
/// Counts of two runs of one configuration agree that well.
constexpr double count_tolerance = 0.02;

/// Problems of other sizes, each made ready once.
class Steps {
 public:
  Steps(const ReadyStudy& study, const StudyOptions& options) : study_(study), options_(options) {}
  Elsewhere open(const Experiment& experiment);

 private:
  ReadyStudy& ready(const std::map<std::string, Value>& problem);

  const ReadyStudy& study_;
  const StudyOptions& options_;
  std::map<std::string, std::unique_ptr<ReadyStudy>> ready_;
};

ReadyStudy& Steps::ready(const std::map<std::string, Value>& problem) {
  StudyOptions options = options_;
  // The last word on a parameter counts.
  std::string word = options.problem.empty() ? std::string() : options.problem.front();
  for (const auto& [name, value] : problem)
    word += (word.empty() ? "" : ",") + name + "=" + to_text(value);
  options.problem = {word};
  auto& slot = ready_[word];
  if (!slot) slot = std::make_unique<ReadyStudy>(ready_study(options, false));
  return *slot;
}

Elsewhere Steps::open(const Experiment& experiment) {
  if (!study_.kernel.warm)
    return {nullptr, 1, "caches are emptied before each call, so that no problem fits"};
  try {
    ReadyStudy& step = ready(experiment.problem);
    if (!step.space->allowed(experiment.contender))
      return {nullptr, 1,
              "the problem that fits does not allow the configuration: " +
                  step.space->why_not(experiment.contender)};
    return {step.evaluator.get(),
            amount(experiment.per, study_.facts) / amount(experiment.per, step.facts),
            {}};
  } catch (const Error& error) {
    return {nullptr, 1, "the problem that fits cannot be made: " + error.message()};
  }
}

bool same(const Experiment& a, const Experiment& b) {
  return a.wall == b.wall && a.subject == b.subject && a.contender == b.contender &&
         a.knob == b.knob && a.other == b.other && a.problem == b.problem && a.per == b.per &&
         a.in_front == b.in_front;
}

void recall(std::vector<Experiment>& all, const std::vector<Experiment>& earlier) {
  for (Experiment& one : all)
    for (const Experiment& other : earlier)
      if (other.measured() && same(one, other)) one = other;
}

std::optional<Counts> counted(const StudyReport& report, const Configuration& configuration) {
  const std::vector<Counts> all = counts_of(report, configuration);
  if (all.empty()) return std::nullopt;
  return combined(all);
}

/// Bytes of one wall at a level; nullopt where whoever counted does not tell it apart.
std::optional<double> wall_bytes(const StudyReport& report, const Counts& counts,
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

/// What was counted on both sides; times that no traffic explains prove nothing about a wall.
void compare_counts(const StudyReport& report, WallFinding& finding) {
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

bool concerns(const StudyReport& report, const Experiment& experiment) {
  const auto& contender = experiment.subject == "best" ? report.best : report.baseline;
  return contender && contender->configuration == experiment.contender;
}

}  // namespace

std::string why_no_experiments(const TuneOptions& options, const Budget& budget) {
  if (options.no_experiments) return "--no-experiments";
  const auto seconds = budget.time ? std::optional(budget.time->value()) : std::nullopt;
  return worth_anchors(budget.evaluations, seconds)
             ? ""
             : "runs of less than 16 evaluations or 20 s make no experiments";
}

double experiment_seconds(const Budget& budget) {
  return std::max(experiment_floor_seconds,
                  budget.time ? experiment_share * budget.time->value() : 0);
}

std::vector<Experiment> experiments(ReadyStudy& study, const History& history,
                                    const std::optional<Race>& race,
                                    const std::vector<Experiment>& earlier,
                                    const ExperimentOptions& options,
                                    const std::function<void(const std::string&)>& say) {
  std::vector<Experiment> all;
  const auto contenders = worth_counting(study, history, race);
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    auto more = planned_experiments(*study.space, study.isolations, i == 0 ? "best" : "baseline",
                                    contenders[i]);
    all.insert(all.end(), more.begin(), more.end());
  }
  recall(all, earlier);
  Steps steps(study, options.study);
  ExperimentLimits limits;
  limits.seconds = options.seconds;
  limits.seed = options.study.seed;
  limits.interrupted = interrupted;
  limits.before = [&](const Experiment& one) {
    std::string wall = one.wall;
    std::replace(wall.begin(), wall.end(), '_', ' ');
    say(fmt::format("experiment on {} of the {} by {}", wall, one.subject,
                    one.knob.empty() ? "a step of size" : one.knob));
  };
  measure(
      all, history, *study.evaluator,
      [&](const Experiment& experiment) { return steps.open(experiment); }, limits);
  return all;
}

std::vector<Configuration> other_sides(const std::vector<Experiment>& experiments) {
  std::vector<Configuration> sides;
  for (const Experiment& one : experiments)
    if (one.measured() && one.subject == "best" && !one.knob.empty()) sides.push_back(one.other);
  return sides;
}

std::vector<Experiment> stored_experiments(const StoredStudy& study, const std::string& event) {
  const auto found = study.latest.find(event);
  if (found == study.latest.end()) return {};
  return experiments_from_json(found->second, event + " of study " + study.header.id);
}

void fill_walls(StudyReport& report, const StoredStudy& study) {
  std::vector<Experiment> all = stored_experiments(study);
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
  const auto skipped = study.latest.find("experiments");
  report.no_experiments_because =
      stored ? "they were made with an earlier best"
      : skipped != study.latest.end()
          ? skipped->second.value("absent_because", std::string("the run was interrupted"))
          : "the run was interrupted";
}

}  // namespace rooftune
