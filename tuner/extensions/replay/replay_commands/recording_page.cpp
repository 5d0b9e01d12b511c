// tune report FILE: the page about what another tuner recorded.
#include <fmt/format.h>

#include <algorithm>

#include "cli/command_table.h"
#include "cli/study_files.h"
#include "core/file.h"
#include "core/list.h"
#include "replay/replay.h"
#include "replay_commands/extension.h"
#include "report/convergence.h"
#include "report/figures.h"
#include "report/sentences.h"
#include "report/study_page.h"
#include "report/trials_csv.h"

namespace rooftune::replay_commands {
namespace {

/// A trial with more figures belongs in a separate table (tune import).
constexpr size_t shown_metrics = 8;

std::string metrics_text(const std::vector<Metric>& metrics) {
  Texts texts;
  for (const Metric& metric : metrics)
    if (metric.value.is_number() && texts.size() < shown_metrics)
      texts.push_back(fmt::format("{} {}{}", metric.name,
                                  significant(metric.value.get<double>(), 5),
                                  metric.unit.empty() ? "" : " " + metric.unit));
  return joined(texts);
}

Trial trial_of(const RecordedResult& recorded, uint64_t index) {
  Trial trial;
  trial.index = index;
  trial.configuration = recorded.configuration;
  trial.outcome = recorded.outcome;
  trial.cost = recorded.cost();
  trial.started = recorded.timestamp;
  trial.detail = trial.outcome == Outcome::ok ? metrics_text(recorded.metrics) : recorded.failure;
  if (!recorded.seconds) {
    if (trial.outcome == Outcome::ok) trial.outcome = Outcome::crashed;
    return trial;
  }
  Measurement measurement;
  measurement.seconds = {*recorded.seconds, *recorded.seconds, *recorded.seconds};
  for (const double seconds : recorded.runtimes)
    measurement.samples.push_back({.seconds = seconds, .waited = 0});
  trial.measurement = std::move(measurement);
  return trial;
}

StudyResult result_of(const Recording& recording, const std::string& name) {
  StudyResult result;
  result.header.kernel = recording.kernel.empty() ? name : recording.kernel;
  result.setup.title =
      result.header.kernel + (recording.device.empty() ? "" : " on " + recording.device);
  result.roofline.machine.name = recording.device;
  result.space.knobs = recording.knobs;
  // Recordings name no default: this value is none that a knob has.
  for (Knob& knob : result.space.knobs) knob.fallback = Value("");
  for (const RecordedResult& one : recording.results) {
    const Trial& trial = result.trials.emplace_back(trial_of(one, result.trials.size()));
    result.cost += trial.cost;
    if (trial.ok() && (!result.best || trial.seconds() < result.best->seconds.value))
      result.best =
          Contender{trial.configuration, trial.index, trial.measurement->seconds, {}, {}, {}, {}};
  }
  return result;
}

/// How the times spread: how many are near the fastest, and the median.
std::string spread_text(const Numbers& ascending) {
  constexpr double near = 1.05;
  const double best = ascending.front();
  const auto close = std::ranges::upper_bound(ascending, near * best) - ascending.begin();
  const double median = ascending[ascending.size() / 2];
  return fmt::format(
      "{} of {} that ran are within 5 % of the fastest; the median takes {}, {} as long",
      count_text(double(close)), count_text(double(ascending.size())), seconds_text(median),
      ratio_text(median / best));
}

/// cache.json.gz -> cache
std::string name_of(fs::path file) {
  if (file.extension() == ".gz") file.replace_extension();
  return file.stem().string();
}

RecordedTrials recorded_trials(const fs::path& file, const Recording& recording) {
  RecordedTrials page{file.string(), {}, {}, result_of(recording, name_of(file))};
  const StudyResult& result = page.result;
  const auto fact = [&](const char* name, const std::string& text) {
    if (!text.empty()) page.facts.emplace_back(name, text);
  };
  Numbers times;
  for (const Trial& trial : result.trials)
    if (trial.ok()) times.push_back(trial.seconds());
  sort(times);
  page.headline = result.best
                      ? fmt::format("{} takes {}, the fastest of {} configurations on record",
                                    result.setup.title, seconds_text(times.front()),
                                    count_text(double(result.trials.size())))
                      : fmt::format("None of {} configurations of {} ran", result.trials.size(),
                                    result.setup.title);
  if (result.best) fact("with", result.best->configuration.key());
  fact("form", recording.format);
  fact("problem", recording.problem_size.is_null() ? "" : recording.problem_size.dump());
  fact("outcomes", outcome_sentence(result));
  if (result.best) fact("spread", spread_text(times));
  if (recording.objective != Recording().objective)
    fact("objective", recording.objective + "; fastest is by time");
  fact("bound", "not known: the file does not say what the kernel must compute and move");
  fact("compare", "tune replay " + file.string() + " (strategies on these times)");
  for (const std::string& deviation : recording.deviations) fact("note", deviation);
  return page;
}

int recording_report(const cli::ReportOptions& options) {
  const fs::path file = options.subjects.front();
  if (options.outputs.size() > 1)
    throw Error("a recording has one page", "--output " + options.outputs[1]);
  const RecordedTrials recorded = recorded_trials(file, read_recording(file));
  const bool typed = !options.outputs.empty();
  const fs::path results = fs::absolute(cli::results_directory(options.results));
  const cli::PagePlace page{
      typed ? fs::path(options.outputs.front())
            : results / "reports" / fmt::format("recorded.{}.html", name_of(file)),
      typed};
  if (page.file.extension() == ".csv")
    write_for_user(page.file, report::trials_csv(recorded.result));
  else
    cli::write_page(page, recorded_page(recorded, utc_now()),
                    report::svg_document(report::convergence(recorded.result)));
  fmt::print("{}\n", recorded.headline);
  for (const auto& [about, text] : recorded.facts) fmt::print("{:<10} {}\n", about, text);
  fmt::print("report: {}\n", page.file.string());
  return 0;
}

}  // namespace

void add_recording_report(CLI::App&, CommandLine& line) { line.report.of_file = recording_report; }

}  // namespace rooftune::replay_commands
