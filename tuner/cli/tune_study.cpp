#include "cli/tune_study.h"

#include <fmt/format.h>

#include <map>

#include "cli/anchors.h"
#include "cli/assemble.h"
#include "cli/assemble_inputs.h"
#include "cli/budget.h"
#include "cli/console.h"
#include "cli/counting.h"
#include "cli/experiments.h"
#include "cli/input_set.h"
#include "cli/machines.h"
#include "cli/probe_host.h"
#include "cli/published.h"
#include "cli/study.h"
#include "cli/study_knowledge.h"
#include "cli/surroundings.h"
#include "core/file.h"
#include "core/units.h"
#include "os/interruption.h"
#include "report/chart.h"
#include "report/page.h"

namespace rooftune {
namespace {

/// Puts trials and races into the study's own record file as they happen.
class Recorded : public Memory {
 public:
  Recorded(RecordWriter& writer, StoredStudy& now) : writer_(writer), now_(now) {}
  void started(const Configuration& configuration, std::uint64_t index) override {
    before_ = microbench::contention();
    writer_.started(configuration, index);
  }
  void given_up(const Configuration& configuration, std::uint64_t index) override {
    writer_.given_up(configuration, index);
  }
  void append(const Trial& trial) override {
    writer_.append(trial);
    if (trial.outcome == Outcome::pruned) return;
    // What else the machine did meanwhile: raw, for whoever doubts a figure later.
    Json body = surroundings(before_, microbench::contention());
    body["trial"] = trial.index;
    writer_.append(surroundings_event, body);
    now_.surroundings[trial.index] = body;
  }
  void append(const Race& race) override { writer_.append("race", to_json(race)); }
  void append(const Ablation& ablation) override { writer_.append("ablation", to_json(ablation)); }

 private:
  RecordWriter& writer_;
  StoredStudy& now_;
  microbench::Contention before_;
};

/// Earlier records stay on disk, out of the way of a study that starts anew.
void set_aside(const std::filesystem::path& directory) {
  if (!std::filesystem::exists(directory)) return;
  std::filesystem::create_directories(directory / "earlier");
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.path().extension() == ".jsonl")
      std::filesystem::rename(entry.path(), directory / "earlier" / entry.path().filename());
}

/// A configuration during which the run ended twice without a word is taken for the cause; once may
/// have been anybody's kill.
void blame_killers(const StoredStudy& stored, History& history, RecordWriter& writer) {
  std::map<std::string, int> ends;
  for (const Configuration& configuration : stored.unfinished) {
    if (++ends[configuration.key()] != 2 || history.tried(configuration)) continue;
    Trial trial;
    trial.index = history.size();
    trial.configuration = configuration;
    trial.outcome = Outcome::crashed;
    trial.detail = "the whole run ended twice while this configuration ran";
    trial.started = utc_now();
    writer.append(trial);
    history.append(trial);
  }
}

/// The study in memory: what earlier runs have left for this one.
StoredStudy continued(const std::optional<StoredStudy>& stored, const StudyHeader& header) {
  StoredStudy now;
  now.header = header;
  if (!stored) return now;
  now.history = stored->history;
  now.faults = stored->faults;
  now.surroundings = stored->surroundings;
  for (const auto& [event, body] : stored->latest)
    if (event == "anchors" || event == choice_event || event.starts_with("counts") ||
        event.starts_with("experiments"))
      now.latest.emplace(event, body);
  return now;
}

SessionOptions session_options_of(const TuneOptions& options, ReadyStudy& study) {
  SessionOptions result;
  result.seed = options.study.seed;
  result.budget = parse_budget(options.budget);
  result.certainty = parse_certainty(options);
  result.target_gap = options.target_gap;
  result.ablation = !options.no_ablation && !options.only_search;
  if (options.only_search) result.finalists = 0;
  result.interrupted = interrupted;
  if (!options.path.empty()) result.first = steps_to_try(study);
  return result;
}

/// What is about to be searched.
void announce(InputSet& set, const History& history, ProgressPrinter& printer) {
  const ReadyStudy& study = set.first();
  for (std::size_t i = 0; i < set.inputs.size(); ++i)
    printer.say(fmt::format("{} on {}: {} configurations, bound {} ({}){}", study.kernel.name,
                            study.roofline.machine.name, to_text(study.space->extent()),
                            to_text(set.inputs[i]->bound->time), set.inputs[i]->bound->ceiling,
                            set.objective ? ", " + set.names[i] : ""));
  if (set.objective)
    printer.say(fmt::format("one configuration for {} inputs: {} is to be small", set.inputs.size(),
                            described(set.objective->aim())));
  if (history.size() > 0)
    printer.say(
        fmt::format("resuming study {}: {} trials are on record", set.header.id, history.size()));
}

SessionEnd search(InputSet& set, const TuneOptions& options, RecordWriter& writer, StoredStudy& now,
                  const Finish& earlier, const std::vector<Ceiling>& anchors,
                  const std::optional<Transfer>& transfer) {
  ReadyStudy& study = set.first();
  SessionOptions session_options = session_options_of(options, study);
  ProgressPrinter printer(options.quiet, set.bound, session_options.budget.evaluations);
  session_options.progress = [&](const Progress& progress) { printer.show(progress); };
  announce(set, now.history, printer);
  Knowledge knowledge = known_of(set);
  if (options.transfer && transfer) {
    knowledge.transferred = transfer->proposals;
    printer.say("transfer: " + to_text(*transfer));
  }
  const std::string unsafe = why_no_pruning(study.roofline.machine, anchors);
  if (!unsafe.empty()) printer.say("nothing is pruned: " + unsafe);
  if (const LeastTimeOf least = least_times(set); least && !options.no_pruning && unsafe.empty()) {
    session_options.least_time = least;
    knowledge.lower_bound = [least](const Configuration& configuration) -> std::optional<double> {
      const auto bound = least(configuration);
      return bound ? std::optional(bound->time.value()) : std::nullopt;
    };
  }
  const auto strategy = make_strategy(options.study.strategy, std::move(knowledge));
  Recorded memory(writer, now);
  const auto evaluator = evaluator_of(set, now.history);
  Bound bound = *study.bound;
  bound.time = Seconds(set.bound);
  Session session(*study.space, *strategy, bound, *evaluator, memory, session_options);
  return session.run(now.history, earlier);
}

/// What walls of traffic cost the best and the baseline on one input; what an earlier run measured
/// is kept.
std::vector<Experiment> experiment(InputSet& set, std::size_t input, const TuneOptions& options,
                                   RecordWriter& writer, StoredStudy& now, const SessionEnd& end) {
  const std::string event = event_of("experiments", set.inputs.size(), input);
  const Budget budget = parse_budget(options.budget);
  const std::vector<Experiment> earlier = stored_experiments(now, event);
  if (options.only_search) return earlier;
  if (const std::string reason = why_no_experiments(options, budget); !reason.empty()) {
    if (earlier.empty())
      now.latest[event] = {{"experiments", Json::array()}, {"absent_because", reason}};
    return earlier;
  }
  ProgressPrinter printer(options.quiet, set.bound, std::nullopt);
  const double seconds = experiment_seconds(budget) / static_cast<double>(set.inputs.size());
  const std::string where = set.objective ? set.names[input] + ": " : "";
  auto all = experiments(*set.inputs[input], now.history, end.finish.race, earlier,
                         {set.made_from[input], seconds},
                         [&](const std::string& text) { printer.say(where + text); });
  now.latest[event] = to_json(all);
  writer.append(event, now.latest[event]);
  return all;
}

/// Experiments on walls, then counts: of everything that was timed, input by input.
void explain_finalists(InputSet& set, const TuneOptions& options, RecordWriter& writer,
                       StoredStudy& now, const SessionEnd& end) {
  for (std::size_t i = 0; i < set.inputs.size(); ++i) {
    const auto walls = experiment(set, i, options, writer, now, end);
    if (options.only_search) continue;
    ProgressPrinter printer(options.quiet, set.bound, std::nullopt);
    auto first = worth_counting(set.first(), now.history, end.finish.race);
    const auto others = other_sides(walls);
    first.insert(first.end(), others.begin(), others.end());
    const std::string event = event_of("counts", set.inputs.size(), i);
    const std::string where = set.objective ? set.names[i] + ": " : "";
    const auto say = [&](const std::string& text) { printer.say(where + text); };
    const auto keep = [&](const std::vector<CountedRun>& all) {
      writer.append(event, to_json(all));
    };
    auto runs =
        count(*set.inputs[i], first, options.counters, stored_counts(now, event), say, keep);
    const auto sample =
        sample_to_count(now.history, first, runs, static_cast<std::size_t>(options.count_sample));
    runs = count(*set.inputs[i], sample, options.counters, std::move(runs), say, keep,
                 sample_seconds(parse_budget(options.budget).time, now.history));
    if (!runs.empty()) now.latest[event] = to_json(runs);
  }
}

/// What a configuration of its own would gain each of several inputs.
void race_per_input(InputSet& set, const TuneOptions& options, RecordWriter& writer,
                    StoredStudy& now, const SessionEnd& end) {
  if (!set.objective || options.only_search) return;
  const auto chosen = worth_counting(set.first(), now.history, end.finish.race);
  if (chosen.empty()) return;
  if (const auto stored = stored_choice(now);
      stored && end.evaluated == 0 && stored->common == chosen.front())
    return;
  ProgressPrinter(options.quiet, set.bound, std::nullopt)
      .say("racing the best of every input against the common one");
  std::vector<Evaluator*> evaluators;
  for (const auto& input : set.inputs) evaluators.push_back(input->evaluator.get());
  SpecialisationLimits limits;
  limits.seed = options.study.seed;
  limits.interrupted = interrupted;
  const auto choice = specialise(now.history, chosen.front(), evaluators, limits);
  if (!choice) return;
  now.latest[choice_event] = to_json(*choice);
  writer.append(choice_event, to_json(*choice));
}

/// The search between two readings of the anchors, and what else the machine did meanwhile.
SessionEnd anchored_search(InputSet& set, const TuneOptions& options, RecordWriter& writer,
                           StoredStudy& now, const Finish& earlier,
                           const std::optional<Transfer>& transfer) {
  const Budget budget = parse_budget(options.budget);
  const auto seconds = budget.time ? std::optional(budget.time->value()) : std::nullopt;
  const bool wanted =
      !options.no_anchors && !options.only_search && worth_anchors(budget.evaluations, seconds);
  AnchorReadings anchors;
  const Machine& machine = set.first().roofline.machine;
  anchors.start = read_anchors(machine, wanted);
  const microbench::Contention before = microbench::contention();
  SessionEnd end = search(set, options, writer, now, earlier, anchors.start, transfer);
  now.latest["environment"] = surroundings(before, microbench::contention());
  writer.append("environment", now.latest["environment"]);
  if (end.evaluated == 0 || anchors.start.empty() || end.reason == StopReason::interrupted)
    return end;
  anchors.end = read_anchors(machine, true);
  if (interrupted()) return end;
  now.latest["anchors"] = to_json(anchors);
  writer.append("anchors", to_json(anchors));
  return end;
}

/// What follows a search that was not interrupted; false when it was itself.
bool explain(InputSet& set, const TuneOptions& options, RecordWriter& writer, StoredStudy& now,
             const SessionEnd& end) {
  try {
    explain_finalists(set, options, writer, now, end);
    race_per_input(set, options, writer, now, end);
    if (!options.path.empty())
      if (const auto race = race_of_steps(set.first(), now.history)) {
        now.latest["path race"] = to_json(*race);
        writer.append("path race", to_json(*race));
      }
  } catch (const Interrupted&) {
    return false;
  }
  return !interrupted();
}

void remember_stop(const SessionEnd& end, RecordWriter& writer, StoredStudy& now) {
  const Json stopped{
      {"reason", to_text(end.reason)}, {"sentence", end.sentence}, {"refuted", end.refuted}};
  writer.append("stopped", stopped);
  now.latest["stopped"] = stopped;
}

void write_by_products(TunedStudy& tuned, const std::filesystem::path& results) {
  const auto attempt = [&](const char* what, const auto& write) {
    try {
      write();
    } catch (const std::exception& error) {
      tuned.warnings.push_back(fmt::format("{} was not written: {}", what, error.what()));
    }
  };
  attempt("the page", [&] {
    tuned.page = write_study_page(tuned.report, default_page(tuned.report, results));
  });
  attempt("the index", [&] { rebuild_index(results); });
}

}  // namespace

std::filesystem::path study_directory(const std::filesystem::path& results,
                                      const StudyHeader& header) {
  return results / "records" / fmt::format("{}.{}.{}", header.kernel, header.backend, header.id);
}

std::filesystem::path default_page(const StudyReport& report,
                                   const std::filesystem::path& results) {
  return results / "reports" /
         fmt::format("{}.{}.{}.html", report.identity.kernel, report.identity.backend,
                     report.identity.id);
}

std::filesystem::path write_study_page(const StudyReport& report,
                                       const std::filesystem::path& page) {
  if (!page.parent_path().empty()) std::filesystem::create_directories(page.parent_path());
  write_atomically(page, study_page(report));
  write_atomically(std::filesystem::path(page).replace_extension(".svg"), roofline_svg(report));
  return page;
}

TunedStudy tune_study(const TuneOptions& options, const std::vector<std::string>& argv) {
  parse_budget(options.budget);
  parse_certainty(options);
  make_strategy(options.study.strategy);
  const CounterProviderRow* asked = counter_provider(options.counters);
  chosen_providers(options.counters, asked && asked->card);
  probe_if_never_probed(options.study.machine, options.quiet);
  if (!options.path.empty() && options.study.problem.size() > 1)
    throw Error("the published path is one of one input", "--path", "give one --problem");
  InputSet set =
      ready_inputs(options.path.empty() ? options.study : with_published_problem(options.study),
                   options.objective);
  ReadyStudy& study = set.first();
  chosen_providers(options.counters, study.backend.name == "cuda");
  const std::filesystem::path results =
      std::filesystem::absolute(results_directory(options.study.results));
  if (options.fresh) set_aside(study_directory(results, set.header));
  std::optional<StoredStudy> stored =
      read_study(results, set.header.kernel, set.header.backend, set.header.id);
  const Finish earlier = stored ? stored_finish(*stored) : Finish{};
  const auto transfer = transfer_of(*study.space, set.header, options.transfer, stored, results);

  RecordWriter writer(results, set.header);
  Json setup = setup_record(set, argv);
  setup["target_gap"] = options.target_gap;
  setup["path"] = options.path;
  setup["amortize"] = options.study.amortize;
  if (transfer) setup["transfer"] = to_json(*transfer);
  writer.append("setup", setup);
  StoredStudy now = continued(stored, set.header);
  if (stored) blame_killers(*stored, now.history, writer);
  const SessionEnd end = anchored_search(set, options, writer, now, earlier, transfer);
  remember_stop(end, writer, now);
  now.latest["setup"] = setup;
  if (end.finish.race) now.latest["race"] = to_json(*end.finish.race);
  if (end.finish.ablation) now.latest["ablation"] = to_json(*end.finish.ablation);
  TunedStudy tuned;
  tuned.interrupted = end.reason == StopReason::interrupted;
  if (!tuned.interrupted && !explain(set, options, writer, now, end)) {
    tuned.interrupted = true;
    SessionEnd cut = cut_short();
    cut.refuted = end.refuted;
    remember_stop(cut, writer, now);
  }
  tuned.report = assemble(now, writer.file().string());
  if (!options.only_search) write_by_products(tuned, results);
  return tuned;
}

}  // namespace rooftune
