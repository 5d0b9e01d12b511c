// tune explain [TRIAL]: the whole story of a study or of one of its trials, from the records.
#include <fmt/format.h>

#include <charconv>

#include "cli/assemble.h"
#include "cli/machines.h"
#include "cli/options.h"
#include "cli/stored_study.h"
#include "cli/study.h"
#include "cli/tune_study.h"
#include "core/units.h"
#include "kernel/catalogue.h"
#include "os/paths.h"

namespace rooftune {
namespace {

std::string indented(const std::string& text) {
  std::string result = "    ";
  for (const char c : text) {
    result += c;
    if (c == '\n') result += "    ";
  }
  while (!result.empty() && (result.back() == ' ' || result.back() == '\n')) result.pop_back();
  return result + "\n";
}

const Trial& chosen_trial(const StudyReport& report, const std::string& word) {
  if (word == "best" || word == "baseline") {
    const auto& contender = word == "best" ? report.best : report.baseline;
    if (!contender)
      throw Error("the study has no " + word, "trial",
                  word == "best" ? "nothing was measured" : report.no_baseline_because);
    return *find_trial(report, contender->trial);
  }
  std::uint64_t index = 0;
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), index);
  const Trial* trial =
      code == std::errc() && end == word.data() + word.size() ? find_trial(report, index) : nullptr;
  if (trial) return *trial;
  throw Error(fmt::format("the study has no trial \"{}\"", word), "trial",
              fmt::format("a number below {}, best or baseline", report.trials.size()));
}

void print_study(const StudyReport& report, const StoredStudy& study) {
  fmt::print("study {} of {} on {}\n  what its id is made of:\n{}", report.identity.id,
             report.identity.kernel, report.machine.name, indented(study.header.explanation));
  fmt::print("  bound {} [{}, {}]: the slowest of\n", to_text(report.bound.time),
             to_text(report.bound.low), to_text(report.bound.high));
  for (const CeilingTime& part : report.bound.parts)
    fmt::print("    {:<6} {:>10}  {}{}\n", part.level, to_text(part.time), part.ceiling,
               part.ceiling == report.bound.ceiling ? "   <- binds" : "");
  fmt::print("  stopped: {}\n  trials: {}\n", report.stop.sentence, report.trials.size());
}

/// What the trial changed against the baseline, with the ceilings that each knob can break.
void print_changes(const StudyReport& report, const Trial& trial) {
  if (!report.baseline || report.baseline->trial == trial.index) return;
  fmt::print("  against the baseline:\n");
  for (const Knob& knob : report.space.knobs) {
    const Value& before = report.baseline->configuration.at(knob.name);
    const Value& after = trial.configuration.at(knob.name);
    if (!(before == after))
      fmt::print("    {:<18} {} -> {}   (can break: {})\n", knob.name, to_text(before),
                 to_text(after), fmt::join(knob.breaks, ", "));
  }
}

void print_measurement(const StudyReport& report, const Trial& trial) {
  const Measurement& measured = *trial.measurement;
  fmt::print(
      "  time {} [{}, {}] per call: lower quartile of {} samples of {} calls{}; fastest {}, median "
      "{}\n",
      to_text(Seconds(measured.seconds.value)), to_text(Seconds(measured.seconds.low)),
      to_text(Seconds(measured.seconds.high)), measured.samples.size(), measured.repeats,
      measured.disturbed ? " (disturbed)" : "", to_text(Seconds(measured.best)),
      to_text(Seconds(measured.median)));
  if (measured.prepare_seconds > 0)
    fmt::print("  preparing its data layout took {} (not part of the time)\n",
               to_text(Seconds(measured.prepare_seconds)));
  if (const auto& card = measured.card)
    fmt::print("  the card: {:.0f} MHz, memory {:.0f} MHz, {:.0f} C, {:.0f} W{}\n", card->sm_mhz,
               card->memory_mhz, card->celsius, card->watts,
               card->throttled ? fmt::format(", clock held back (reasons {:#x})", card->throttled)
                               : std::string());
  const double seconds = measured.seconds.value;
  fmt::print("  gap {:.3f}; against each ceiling that applies:\n",
             seconds / report.bound.time.value());
  for (const Ceiling& ceiling : report.machine.ceilings) {
    if (!ceiling.stable || ceiling.remote) continue;
    const auto at = time_at(ceiling, report.work, report.traffic, report.machine);
    if (at && at->time.value() > 0)
      fmt::print("    {:>10} {:>8.2f}x  {}\n", to_text(at->time), seconds / at->time.value(),
                 ceiling.name);
  }
}

void print_key(const StoredStudy& study, const StudyReport& report, const Trial& trial) {
  const Json& setup = study.latest.at("setup");
  const Kernel kernel = read_kernel(setup.at("kernel_folder").get<std::string>());
  const Backend* backend = kernel.backend(study.header.backend);
  if (!backend) return;
  Facts known = report.problem;
  known.insert(report.facts.begin(), report.facts.end());
  known.merge(machine_facts(report.machine, report.identity.threads));
  const SearchSpace space = read_space(setup.at("space_file").get<std::string>(), known);
  ArtefactCache cache(cache_directory() / "artefacts", host_compiler());
  const Artefact artefact = cache.described(kernel, *backend, space, trial.configuration);
  fmt::print("  artefact {}{}\n  what its key is made of now:\n{}", trial.artefact,
             artefact.key == trial.artefact ? "" : " (sources or compiler have changed since)",
             indented(artefact.explanation));
}

}  // namespace

int explain_command(const ExplainOptions& options) {
  const std::filesystem::path results =
      std::filesystem::absolute(results_directory(options.study.results));
  StudyFilter filter;
  filter.kernel = options.study.kernel;
  filter.problem = problem_words(options.study.problem);
  const StoredStudy study = stored_study(results, filter);
  const StudyReport report = assemble(study, study_directory(results, study.header).string());
  if (options.trial.empty()) {
    print_study(report, study);
    return 0;
  }
  const Trial& trial = chosen_trial(report, options.trial);
  fmt::print("trial {} of study {} ({}): {}\n  {}\n", trial.index, report.identity.id,
             trial.started, to_text(trial.outcome), trial.configuration.key());
  if (!trial.detail.empty()) fmt::print("  detail:\n{}", indented(trial.detail));
  print_changes(report, trial);
  if (trial.measurement) print_measurement(report, trial);
  fmt::print("  cost: build {}, validate {}, time {}, total {}\n",
             to_text(Seconds(trial.cost.build)), to_text(Seconds(trial.cost.validate)),
             to_text(Seconds(trial.cost.time)), to_text(Seconds(trial.cost.total)));
  print_key(study, report, trial);
  return 0;
}

}  // namespace rooftune
