#include "study/contenders.h"

#include <fmt/format.h>

#include <algorithm>

#include "roofline/contradiction.h"

namespace rooftune::study {
namespace {

/// Counts of one configuration by every provider, or why there are none.
void fill_counts(const StudyResult& report, Contender& contender) {
  const std::vector<Counts> counted = counts_of(report, contender.configuration);
  for (const CountedRun& run : report.counted)
    if (run.configuration == contender.configuration && !run.counts)
      contender.not_counted_because += (contender.not_counted_because.empty() ? "" : "; ") +
                                       run.provider + ": " + run.absent_because;
  if (counted.empty()) return;
  Counts all = combined(counted);
  const auto found = contradictions(report.roofline, contender.seconds, counted);
  all.flags.insert(all.flags.end(), found.begin(), found.end());
  contender.counts = std::move(all);
}

}  // namespace

std::vector<Counts> counts_of(const StudyResult& report, const Configuration& configuration) {
  std::vector<Counts> counted;
  for (const CountedRun& run : report.counted)
    if (run.counts && run.configuration == configuration) counted.push_back(*run.counts);
  return counted;
}

Contender contender(const StudyResult& report, const Trial& trial, const Estimate& seconds,
                    const std::string& no_counters) {
  Contender result;
  result.configuration = trial.configuration;
  result.trial = trial.index;
  result.seconds = seconds;
  if (trial.measurement) result.joules = energy(*trial.measurement);
  fill_counts(report, result);
  if (!report.bound.known()) return result;
  std::string absent = result.not_counted_because;
  if (!result.counts && absent.empty()) absent = no_counters;
  result.gap = report.roofline.gap(seconds, result.counts ? &*result.counts : nullptr, absent);
  return result;
}

void fill_sample(StudyResult& report, const StudyRecord& study) {
  const auto is = [](const std::optional<Contender>& one, const Configuration& configuration) {
    return one && one->configuration == configuration;
  };
  for (const CountedRun& run : report.counted) {
    const Configuration& configuration = run.configuration;
    const bool known =
        is(report.best, configuration) || is(report.baseline, configuration) ||
        std::any_of(report.sample.begin(), report.sample.end(),
                    [&](const Contender& other) { return other.configuration == configuration; });
    const Trial* trial = study.history.find(configuration);
    if (known || !run.counts || !trial || !trial->ok()) continue;
    report.sample.push_back(contender(report, *trial,
                                      find_trial(report, trial->index)->measurement->seconds,
                                      study.setup->not_counted_because));
  }
  std::stable_sort(
      report.sample.begin(), report.sample.end(),
      [](const Contender& a, const Contender& b) { return a.seconds.value < b.seconds.value; });
}

void fill_flags(StudyResult& report) {
  const auto add = [&](const std::string& who, const Contender& contender) {
    if (!contender.counts) return;
    for (const std::string& flag : contender.counts->flags)
      report.flags.push_back(fmt::format("{}: {}", who, flag));
  };
  if (report.best) add("best", *report.best);
  if (report.baseline && (!report.best || report.best->trial != report.baseline->trial))
    add("baseline", *report.baseline);
  for (const Contender& other : report.sample) add(fmt::format("trial {}", other.trial), other);
}

}  // namespace rooftune::study
