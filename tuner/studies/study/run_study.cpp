#include "study/run_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "core/file.h"
#include "core/list.h"
#include "core/rng.h"
#include "core/seconds_since.h"
#include "core/version.h"
#include "os/interruption.h"
#include "os/subprocess.h"
#include "roofline/machine.h"
#include "search/strategy.h"
#include "space/knob.h"
#include "space/space_reader.h"
#include "store/record_writer.h"
#include "store/study_record.h"
#include "store/study_store.h"
#include "study/find_study.h"
#include "study/findings.h"
#include "study/knowledge.h"
#include "study/model.h"
#include "study/modelled.h"
#include "study/prepare.h"
#include "study/readings.h"
#include "study/result.h"
#include "study/stages.h"
#include "trial/statistics.h"

namespace rooftune::study {
namespace {

StudySetup setup_of(const PreparedStudy& study, Platform& platform) {
  StudySetup setup;
  setup.version = version;
  setup.command = study.spec.command;
  if (!setup.command.empty()) setup.command.front() = "tune";
  // A program brings its own compiler, if any.
  if (!study.kernel.program) setup.compiler = platform.compiler(study);
  setup.title = study.kernel.title;
  setup.revision =
      study.spec.revision.empty() ? git_revision(study.kernel.folder) : study.spec.revision;
  setup.kernel_folder = study.kernel.folder;
  setup.space = study.space_file;
  setup.published = study.published;
  setup.machine = recorded_machine(study.machine);
  setup.target_gap = study.spec.target_gap;
  setup.amortize = study.spec.amortize;
  setup.builders = study.spec.builders;
  if (study.objective) setup.objective = to_text(study.objective->aim());
  for (const auto& input : study.inputs) setup.inputs.push_back(input->model);
  setup.own_figure = study.own_figure();
  if (const auto& program = study.kernel.program) {
    const std::string tuned = metric_words(program->metric).source;
    for (const auto& [name, source] : program->figures)
      if (const auto more = metric_words(source).more; more && name != tuned)
        setup.goals[name] = *more;
  }
  setup.not_counted_because = study.kernel.program ? "programs are not counted"
                                                   : platform.no_counters_reason(study.on_gpu());
  return setup;
}

/// A run whose end is not on record was killed, nobody knows by what. A configuration under way at
/// two such ends is tried last in the next run; if that run ends the same way, the configuration is
/// taken for the cause. The baseline is exempt: without it there is no study.
Configurations interrupted_trials(Recorder& recorder, const Configuration& baseline) {
  ByName<int> ends;
  Configurations result;
  for (const Configuration& configuration : recorder.record().unfinished()) {
    if (configuration == baseline) continue;
    const int times = ++ends[configuration.key()];
    if (times == 2) result.push_back(configuration);
    if (times != 3) continue;
    Trial trial;
    trial.index = recorder.record().history.size();
    trial.configuration = configuration;
    trial.outcome = Outcome::crashed;
    trial.detail =
        "the whole run ended three times while this configuration ran, the last time when nothing "
        "else was left to try";
    trial.started = utc_now();
    recorder.append(std::move(trial));
  }
  return result;
}

/// The ceilings behind the bounds: the roof for every level and precision in use.
Texts taking_part(const PreparedStudy& study) {
  Texts names;
  for (const auto& input : study.inputs)
    for (const CeilingTime& part : input->bound.parts) add_once(names, part.ceiling);
  return names;
}

/// If a ceiling is faster today than ever before, the bounds follow it from now on. An objective's
/// weights stay, or its times would not compare with those on record; its bound falls as far as the
/// input's bound that falls most.
void raise(PreparedStudy& study, const AnchorReadings& now) {
  if (!study.first().bound.known()) return;
  double fell = 1;
  for (const auto& input : study.inputs) {
    input->roofline.machine = study.machine;
    const Seconds before = input->roofline.bound().time;
    input->roofline.machine = as_seen(study.machine, drift(study.machine, now));
    input->bound = input->roofline.bound();
    fell = std::min(fell, input->bound.time / before);
  }
  if (study.objective)
    study.bound.time = Seconds(fell * study.objective->bound());
  else
    study.bound = study.first().bound;
}

/// Reads the machine during a search: now and then, its ceilings run for some milliseconds.
class MachineReadings {
 public:
  MachineReadings(Roofs roofs, uint64_t seed)
      : roofs_(std::move(roofs)), rng_(seed, 0), next_(Clock::now() + pause()) {}

  /// Reads all ceilings at random moments, one to five seconds apart, so that reading takes less
  /// than a hundredth of the time. Returns whether it did.
  bool read_if_due() {
    if (roofs_.names.empty() || Clock::now() < next_) return false;
    const Numbers now = roofs_.rates();
    for (const size_t i : indices(now)) seen_.add(roofs_.names[i], now[i]);
    next_ = Clock::now() + pause();
    return true;
  }

  CeilingList summary() const { return seen_.summary(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::duration pause() {
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(1 + 4 * rng_.unit()));
  }

  Roofs roofs_;
  Rng rng_;
  Clock::time_point next_;
  Readings seen_;
};

/// The wall time that earlier trials took on this node [s].
double spent_here(const History& history) {
  Cost cost;
  for (const Trial& trial : history.trials())
    if (trial.node.empty()) cost += trial.cost;
  return cost.total;
}

/// The study at hand: its prepared parts, record and observer.
class Run {
 public:
  Run(PreparedStudy& study, Platform& platform, Recorder& recorder, const StudyObserver& observer,
      Schedule::Clock::time_point begin)
      : study_(study),
        platform_(platform),
        recorder_(recorder),
        observer_(observer),
        schedule_(study.spec.budget.time, begin, spent_here(recorder.record().history)),
        nodes_(platform.other_nodes(study.spec, study.header)) {
    if (nodes_) recorder.append(StudyNode{nodes_->own_node(), StudyNode::Part::races});
  }

  /// Reads the machine's ceilings as they are now, before anything is said about the bound.
  void read_machine() {
    if (!anchored()) return;
    anchors_ = platform_.anchors(study_, taking_part(study_));
    raise(study_, {anchors_, {}});
  }

  /// Search and stages; false when the user ended it.
  bool complete() {
    const StudySpec& spec = study_.spec;
    MachineReadings readings(anchored() ? roofs(taking_part(study_), "the search") : Roofs{},
                             spec.seed);
    const SearchEnd end = search(readings);
    recorder_.append(Stopped(end));
    if (end.reason == StopReason::interrupted) return false;
    StageContext context{study_,    platform_, recorder_,          end,
                         schedule_, anchors_,  readings.summary(), observer_.say};
    try {
      run_stages(context);
    } catch (const Interrupted&) {
      SearchEnd cut = cut_short();
      cut.refuted = end.refuted;
      recorder_.append(Stopped(cut));
      return false;
    }
    return true;
  }

 private:
  bool anchored() const { return study_.spec.anchors && worth_checks(study_.spec.budget); }

  /// `readings`: the machine's, taken between trials.
  SearchEnd search(MachineReadings& readings) {
    SearchOptions all = options();
    all.between_trials = [this, &readings] {
      if (readings.read_if_due()) raise(study_, {anchors_, {}, readings.summary()});
    };
    Knowledge knowledge = knowledge_of(study_);
    if (const auto& transfer = recorder_.record().setup->transfer) {
      knowledge.transferred = transfer->proposals;
      knowledge.modelled = transfer->modelled;
      observer_.say(to_text(*transfer));
    }
    add_least_times(all, knowledge);
    knowledge.per_second = true;
    const auto strategy = make_strategy(study_.spec.strategy, std::move(knowledge));
    const auto evaluator = evaluator_of(study_, recorder_.record().history);
    const auto watched =
        study_.on_gpu() ? platform_.watch_card(study_.spec.card) : platform_.watch(false);
    SearchLoop loop(
        {*study_.first().space, *strategy, study_.bound, *evaluator, recorder_, schedule_},
        std::move(all));
    const SearchEnd end = loop.run();
    recorder_.append(watched());
    return end;
  }

  SearchOptions options() {
    const StudySpec& spec = study_.spec;
    SearchOptions options{spec};
    // For counts and for reading the machine.
    if (worth_checks(spec.budget)) options.afterwards = 0.1;
    options.counts = !study_.objective && !study_.kernel.program &&
                     !platform_.counter_providers(spec.counters, study_.on_gpu()).empty();
    // A program's runs are long.
    if (study_.kernel.program) options.finalists = 2;
    options.sees_rounds = !study_.objective;
    options.watch = [this] { return platform_.watch(study_.on_gpu()); };
    if (!study_.objective && spec.anchors)
      options.roofs = [this](Seconds best, Seconds baseline) { return roofs_near(best, baseline); };
    options.interrupted = interrupted;
    options.nodes = nodes_.get();
    options.say = observer_.say;
    options.progress = observer_.progress;
    options.first = first_configurations(study_);
    options.interrupted_trials = interrupted_trials(recorder_, study_.first().space->baseline());
    return options;
  }

  /// Puts least times into options and knowledge, where pruning is wanted.
  void add_least_times(SearchOptions& options, Knowledge& knowledge) const {
    const LeastTimeOf least = least_times(study_);
    if (!least || !study_.spec.pruning) return;
    options.least_time = least;
    knowledge.lower_bound = [least](const Configuration& configuration) -> std::optional<double> {
      const auto bound = least(configuration);
      return bound ? std::optional(bound->time.value()) : std::nullopt;
    };
    knowledge.bound_knobs = bound_knobs(study_);
  }

  Roofs roofs_near(Seconds best, Seconds baseline) const {
    constexpr size_t most = 10;
    const Roofline& roofline = study_.first().roofline;
    // The binding ceiling, however far off, and memory's: the headline refers to them.
    Texts names{study_.bound.ceiling};
    for (const std::string& name : memory_ceilings(roofline)) add_once(names, name);
    for (const std::string& near : roofline.ceilings_near(best, baseline))
      if (names.size() < most) add_once(names, near);
    return roofs(names, "the race");
  }

  Roofs roofs(const Texts& names, const char* beside) const {
    try {
      return platform_.roofs(study_, names);
    } catch (const Error& error) {
      observer_.say(fmt::format("no ceiling runs beside {}: {}", beside, error.message()));
      return {};
    }
  }

  PreparedStudy& study_;
  Platform& platform_;
  Recorder& recorder_;
  const StudyObserver& observer_;
  Schedule schedule_;
  CeilingList anchors_;  ///< as read before the search; empty: none was
  std::unique_ptr<OtherNodes> nodes_;
};

/// Models how long many configurations' code should take on a card, and puts the fastest among
/// those that are tried first.
void add_modelled(PreparedStudy& study, std::optional<Transfer>& transfer) {
  constexpr size_t most = 128, per_trial = 8, proposed = 5;
  constexpr double share = 0.1, without_budget = 10;  // the budget's share; [s]
  const Budget& budget = study.spec.budget;
  const double seconds = budget.time ? share * budget.time->value() : without_budget;
  const auto wanted = std::min<uint64_t>(
      most, per_trial * std::min<uint64_t>(most, budget.evaluations.value_or(most)));
  auto times = modelled(study, transfer ? transfer->proposals : Configurations{}, wanted, seconds);
  std::erase_if(times, [](const Modelled& one) { return one.seconds == 0; });
  if (times.empty()) return;
  stable_sort(times, {}, &Modelled::seconds);
  if (!transfer) transfer.emplace();
  Configurations first;
  for (const Modelled& one : times) {
    const bool known = contains(transfer->proposals, one.configuration);
    if (one.configuration != study.first().space->baseline() && (known || first.size() < proposed))
      first.push_back(one.configuration);
  }
  for (Configuration& one : transfer->proposals) add_once(first, std::move(one));
  transfer->proposals = std::move(first);
  transfer->modelled = std::move(times);
}

}  // namespace

std::optional<OwnFigure> PreparedStudy::own_figure() const {
  if (!kernel.program) return std::nullopt;
  const MetricUnit unit = metric_unit(*kernel.program);
  if (unit.is_time()) return std::nullopt;
  const std::string& name = kernel.program->unit;
  const bool is_number = name == Program().unit || name == "1";
  const double amount = metric_amount(kernel, first().model.problem);
  return OwnFigure{is_number ? "" : name, unit.more,
                   unit.more ? amount / unit.factor : 1 / unit.factor};
}

FinishedStudy run_study(const StudySpec& spec, Platform& platform, const StudyObserver& observer) {
  // A typo is told at once, not when another study ends.
  require_readable(spec, platform);
  const auto reserved = platform.reserve(spec, observer.say);
  const auto begin = Schedule::Clock::now();
  FinishedStudy finished;
  finished.study = std::make_unique<PreparedStudy>(prepare(spec, platform));
  PreparedStudy& study = *finished.study;
  platform.counter_providers(spec.counters, study.on_gpu());
  const fs::path results = fs::absolute(spec.results);
  const FileLock lock = lock_study(results, study.header, spec.wait, observer.say);
  if (spec.fresh) set_aside(study_directory(results, study.header));
  std::optional<StudyRecord> stored = read_study(results, study.header);
  if (stored) stored->require_readable();
  if (stored) remove_impossible_entries(*stored, *study.first().space);

  StudySetup setup = setup_of(study, platform);
  setup.transfer = transfer_of(study, stored, results);
  const bool begins = !stored || stored->history.size() == 0;
  if (begins && spec.strategy == default_strategy) add_modelled(study, setup.transfer);
  if (stored) finished.record = *stored;
  finished.record.apply(study.header);
  RecordWriter writer(results, study.header);
  finished.record.place = writer.file();
  Recorder recorder(finished.record, [&](const Event& event) { writer.append(event); });
  // Otherwise the same machine, written again and again, would fill most of a record.
  if (!stored || !stored->setup || encode(*stored->setup) != encode(setup))
    recorder.append(std::move(setup));
  if (const std::string busy = platform.neighbours(study.header.threads); !busy.empty())
    observer.say("the machine is busy, in shares of a core: " + busy +
                 "; what they disturb decides nothing, so it may take longer or end undecided");
  Run run(study, platform, recorder, observer, begin);
  run.read_machine();
  observer.begin(study, finished.record);
  finished.interrupted = !run.complete();
  recorder.append(Waited{seconds_since(begin)});
  finished.result = analyse(finished.record);
  keep_digest(results, finished.record, finished.result);
  return finished;
}

}  // namespace rooftune::study
