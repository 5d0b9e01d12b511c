// Whole studies on a synthetic platform: what is recorded, what is analysed, what continues what.
#include "study/run_study.h"

#include <catch2/catch.hpp>

#include "report/answer.h"
#include "report/study_page.h"
#include "report/terminal.h"
#include "roofline/machine_json.h"
#include "store/record_writer.h"
#include "store/study_store.h"
#include "study/result.h"
#include "study_run.h"
#include "support/all_studies.h"
#include "synthetic_platform.h"

using namespace rooftune;
using namespace rooftune::synthetic;
using Catch::Contains;

namespace {

StudyRecord on_record(const FinishedStudy& study, const StudySpec& spec) {
  const StudyHeader& header = study.record.header;
  StudyRecord stored = *read_study(spec.results, header);
  stored.place = study.record.place;
  return stored;
}

}  // namespace

TEST_CASE("on a machine whose probe has no micro-kernels a study has no bound, and says why") {
  const SyntheticKernel kernel;
  Machine machine = test::plain_machine();
  machine.name = machine.id = "synthetic";
  machine.ceilings.clear();
  machine.identity = {{"cpu", "rv64imafdcv"}};
  machine.notes = {Machine::no_micro_kernels};
  kernel.folder().write("machines/synthetic.json", to_json(machine).dump(1));
  SyntheticPlatform platform;
  const FinishedStudy study = run_study(kernel.spec(), platform, {});
  REQUIRE(study.result.best);
  REQUIRE(study.result.baseline);
  CHECK(study.result.best->seconds.value < study.result.baseline->seconds.value);
  CHECK_FALSE(study.result.bound.known());
  const TerminalStyle style;
  CHECK_THAT(terminal_summary(study.result, style),
             Contains("no micro-kernels for this architecture"));
  CHECK_THAT(terminal_details(study.result, style), !Contains("bound "));
  CHECK_THAT(study_page(study.result), Contains("no micro-kernels for this architecture"));
}

TEST_CASE(
    "a study finds the best, races it, measures its staircase and makes every stage's events") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  const FinishedStudy study = run_study(kernel.spec(), platform, {});
  const StudyResult& result = study.result;
  CHECK_FALSE(study.interrupted);
  REQUIRE(result.best);
  REQUIRE(result.baseline);
  CHECK(result.best->seconds.value < result.baseline->seconds.value);
  CHECK(result.race_rounds >= 3);
  REQUIRE(result.speedup);
  CHECK(result.speedup->low > 1);
  REQUIRE(result.staircase);
  double gains = 1;
  for (const Stair& stair : result.staircase->stairs)
    if (stair.gain) gains *= stair.gain->value;
  CHECK(gains == Approx(result.baseline->seconds.value / result.best->seconds.value));
  CHECK(result.staircase->stairs.back().configuration == result.best->configuration);
  CHECK(result.stop.reason == StopReason::budget);
  CHECK(result.facts.at("rows") == Value(1000));
  CHECK(result.problem.at("n") == Value(1000));
  // 8 kB at 16 MB/s.
  CHECK(result.bound.time.value() == Approx(0.5e-3));
  REQUIRE(result.drifts.size() == 1);
  CHECK(result.drifts[0].low == 1);
  CHECK(result.drifts[0].high == 1);
  CHECK_FALSE(result.counted.empty());
  CHECK_THAT(result.best->not_counted_because, Contains("a formula has no counters"));
  CHECK(study.record.trial_environments.size() == platform.trials);
  // Nobody takes the time of who is counted next.
  REQUIRE(platform.counting_seconds.size() >= 2);
  CHECK(platform.counting_seconds[0] > 0);
  CHECK(platform.counting_seconds[0] <= 5);
}

TEST_CASE("what trials have proven stands when the race was cut or never ran") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  StudyRecord record = run_study(kernel.spec(), platform, {}).record;
  record.staircase.reset();
  const StudyResult raced = analyse(record);
  REQUIRE(raced.speedup);
  // A single round, in which a neighbour held the baseline up all the time.
  record.race->seconds.resize(1);
  record.race->disturbed = {{0, 0, 1.0}};
  for (RacedRoof& roof : record.race->roofs) roof.rates.resize(1);
  for (const bool cut : {true, false}) {
    if (!cut) record.race.reset();
    const StudyResult result = analyse(record);
    REQUIRE(result.speedup);
    CHECK(result.speedup->low > 1);
    CHECK(result.speedup->high < 1e3);
    CHECK(result.speedup->value ==
          Approx(result.baseline->seconds.value / result.best->seconds.value));
    CHECK(result.best->configuration == record.history.best()->configuration);
    CHECK(result.inconclusive.empty());
    CHECK_FALSE(result.baseline_stands);
  }
  // A machine that moved by more than the gain: the trials decide nothing, and are told.
  REQUIRE(record.anchors);
  REQUIRE_FALSE(record.anchors->end.empty());
  for (Ceiling& ceiling : record.anchors->end) ceiling.rate = ceiling.rate * 1e-3;
  const StudyResult open = analyse(record);
  REQUIRE(open.speedup);
  CHECK(open.speedup->value == Approx(open.baseline->seconds.value / open.best->seconds.value));
  CHECK(open.speedup->low <= 1);
  CHECK(open.inconclusive == Texts{"the finalists were not raced"});
}

TEST_CASE("best and baseline are counted however little of the budget is left") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  StudySpec spec = kernel.spec();
  run_study(spec, platform, {});
  platform.counting_seconds.clear();
  spec.budget.time = Seconds(1e-6);
  const FinishedStudy study = run_study(spec, platform, {});
  CHECK(platform.counting_seconds.size() == 2);
  // Calls of a millisecond take more than all of it: a twentieth is kept.
  for (const double seconds : platform.counting_seconds) CHECK(seconds == Approx(2.5e-8));
  CHECK_THAT(study.result.best->not_counted_because,
             Contains("a formula has no counters, with the") && Contains("likely takes"));
}

TEST_CASE("micro-kernels of the ceilings run beside the finalists, and tell gap and ledger") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  const FinishedStudy alone = run_study(kernel.spec(), platform, {});
  REQUIRE(alone.record.race);
  CHECK(alone.record.race->roofs.empty());
  CHECK_FALSE(alone.result.paired_gap);

  // The only memory there is gives half of its 16 MB/s while the finalists run.
  platform.roof_rate = 8e6;
  StudySpec spec = kernel.spec();
  spec.fresh = true;
  const FinishedStudy study = run_study(spec, platform, {});
  const Race& race = *study.record.race;
  REQUIRE_FALSE(race.roofs.empty());
  for (const RacedRoof& roof : race.roofs)
    CHECK(roof.rates == std::vector<double>(race.seconds.size(), 8e6));
  // The race's own drift makes everything up to half slower than its trial.
  REQUIRE(study.result.paired_gap);
  const double times = study.result.best->seconds.value / study.result.bound.time.value();
  CHECK(study.result.paired_gap->value > 0.4 * times);
  CHECK(study.result.paired_gap->value < 0.8 * times);
  CHECK(std::any_of(study.result.ledger.begin(), study.result.ledger.end(),
                    [](const LedgerEntry& entry) { return entry.paired; }));
  // What the race says of another moment makes the intervals of trials wide.
  REQUIRE(study.result.between_runs);
  CHECK(*study.result.between_runs > 1.05);
  for (const Trial& trial : study.result.trials)
    if (trial.ok())
      CHECK(trial.measurement->seconds.high > 1.04 * trial.measurement->seconds.value);
  const StudyResult again = analyse(on_record(study, spec));
  CHECK(to_json(again) == to_json(study.result));

  // A ceiling that was beaten in a race is no bound.
  StudyRecord fast = study.record;
  for (RacedRoof& roof : fast.race->roofs) roof.rates.back() = 32e6;
  const Bound twice = analyse(fast).bound;
  CHECK(twice.time.value() == Approx(study.result.bound.time.value() / 2));
}

TEST_CASE("what is read back is what was seen while it ran: the same result, to the last figure") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  const StudySpec spec = kernel.spec();
  const FinishedStudy study = run_study(spec, platform, {});
  const StudyResult again = analyse(on_record(study, spec));
  CHECK(to_json(again) == to_json(study.result));
}

TEST_CASE("a study goes on where its records end, and a finished one measures nothing again") {
  const SyntheticKernel kernel;
  SyntheticPlatform whole, parts;
  const FinishedStudy straight = run_study(kernel.spec(30), whole, {});
  StudySpec spec = kernel.spec(12);
  spec.results = kernel.folder().path() / "other";
  CHECK(run_study(spec, parts, {}).record.history.size() >= 12);
  spec.budget = {.evaluations = 30};
  const FinishedStudy resumed = run_study(spec, parts, {});
  CHECK(proposed(resumed.record.history).size() == proposed(straight.record.history).size());
  CHECK(resumed.result.best->configuration == straight.result.best->configuration);
  const std::size_t before = parts.trials;
  CHECK(to_json(run_study(spec, parts, {}).result.best->configuration) ==
        to_json(resumed.result.best->configuration));
  CHECK(parts.trials == before);
}

TEST_CASE("the record says the same whatever becomes of the kernel's folder") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  const StudySpec spec = kernel.spec();
  const FinishedStudy study = run_study(spec, platform, {});
  const double gap = study.result.best->gap.total.value;
  kernel.folder().write("valley/kernel.json", SyntheticKernel::manifest("16*n"));
  CHECK(analyse(on_record(study, spec)).best->gap.total.value == gap);
  std::filesystem::remove_all(kernel.kernel());
  std::filesystem::remove_all(kernel.folder().path() / "machines");
  const StudyResult orphan = analyse(on_record(study, spec));
  CHECK(orphan.best->gap.total.value == gap);
  CHECK(orphan.ledger.size() == study.result.ledger.size());
  CHECK(orphan.space.knobs.size() == 3);
}

TEST_CASE("one configuration for several inputs: each has its own bound, all one record") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  StudySpec spec = kernel.spec(24);
  spec.inputs = {{"n=1000", {{"n", 1000}}}, {"n=3000", {{"n", "3e3"}}}};
  spec.objective = Goal::minimax;
  const FinishedStudy study = run_study(spec, platform, {});
  REQUIRE(study.result.inputs);
  const InputsAnswer& answer = *study.result.inputs;
  CHECK(answer.aim == Objective::Aim::minimax);
  REQUIRE(answer.rows.size() == 2);
  CHECK(answer.rows[1].name == "n=3000");
  CHECK(answer.rows[1].bound.time.value() == Approx(3 * answer.rows[0].bound.time.value()));
  CHECK(answer.rows[1].problem.at("n") == Value(3000));
  CHECK(to_json(analyse(on_record(study, spec))) == to_json(study.result));
  CHECK_THROWS_WITH(analyse(study.record, 3), Contains("--input") && Contains("it has 2"));
}

TEST_CASE("a study that goes on adds its waiting and races") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  const FinishedStudy begun = run_study(kernel.spec(20), platform, {});
  CHECK(proposed(begun.record.history).size() == 20);
  const FinishedStudy whole = run_study(kernel.spec(25), platform, {});
  CHECK(whole.result.waited > begun.result.waited);
  CHECK(begun.result.waited > 0);
  CHECK(whole.record.race);
}

TEST_CASE("what is switched off is not done, and the result says why") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  StudySpec spec = kernel.spec(20);
  spec.anchors = spec.staircase = false;
  spec.counters = "none";
  const StudyResult result = run_study(spec, platform, {}).result;
  CHECK(result.drifts.empty());
  REQUIRE(result.staircase);
  CHECK(result.staircase->stairs.size() == 2);
  CHECK(result.staircase->shortened_because == "the steps between were not measured");
  CHECK(result.counted.empty());
  CHECK(result.best->not_counted_because.empty());
  CHECK_THAT(result.best->gap.unknown_because, Contains("nobody counts"));
}

TEST_CASE("what was under way when runs ended is tried last, and blamed when it ends one again") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  const StudySpec spec = kernel.spec(6);
  const FinishedStudy study = run_study(spec, platform, {});
  const Configuration baseline = study.record.history.trials().front().configuration;
  Configuration killer = baseline;
  killer.set("x", 9);
  killer.set("y", 9);
  const auto end_while_running = [&](const Configuration& configuration) {
    RecordWriter(spec.results, study.record.header).append(Started{configuration, 6});
  };
  for (int run = 0; run < 2; ++run) end_while_running(killer);
  SECTION("once more does no harm") {
    const FinishedStudy again = run_study(spec, platform, {});
    const Trial* tried = again.record.history.find(killer);
    REQUIRE(tried);
    CHECK(tried->ok());
  }
  SECTION("the third end is evidence") {
    end_while_running(killer);
    const FinishedStudy again = run_study(spec, platform, {});
    const Trial* blamed = again.record.history.find(killer);
    REQUIRE(blamed);
    CHECK(blamed->outcome == Outcome::crashed);
    CHECK_THAT(blamed->detail, Contains("ended three times"));
  }
}

TEST_CASE("a study runs once at a time, and nobody moves its records meanwhile") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  StudySpec spec = kernel.spec(6);
  const FinishedStudy study = run_study(spec, platform, {});
  std::optional<FileLock> lock = lock_study(spec.results, study.record.header, false, {});
  spec.fresh = true;
  CHECK_THROWS_WITH(run_study(spec, platform, {}), Contains("is being run by process"));
  CHECK(std::filesystem::exists(study.record.place));
  lock.reset();
  CHECK(run_study(spec, platform, {}).result.best);
  CHECK_FALSE(std::filesystem::exists(study.record.place));
}

TEST_CASE("a typo is told before anything is reserved") {
  struct Reserving : SyntheticPlatform {
    std::shared_ptr<void> reserve(const StudySpec&,
                                  const std::function<void(const std::string&)>&) override {
      throw Error("another study runs", "lock");
    }
  } platform;
  const SyntheticKernel kernel;
  StudySpec spec = kernel.spec(6);
  CHECK_THROWS_WITH(run_study(spec, platform, {}), Contains("another study runs"));
  spec.kernel = "trida";
  CHECK_THROWS_WITH(run_study(spec, platform, {}), Contains("trida"));
}

TEST_CASE("results that are removed or moved under a study end it with what happened") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  const StudySpec spec = kernel.spec(6);
  StudyObserver observer;
  SECTION("removed") {
    observer.progress = [&](const Progress&) { std::filesystem::remove_all(spec.results); };
  }
  SECTION("moved") {
    observer.progress = [&](const Progress&) {
      std::error_code taken;
      std::filesystem::rename(spec.results, spec.results.string() + ".old", taken);
    };
  }
  try {
    run_study(spec, platform, observer);
    FAIL("nobody noticed");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::io);
    CHECK_THAT(error.what(), Contains("was removed or moved away while the study ran"));
  }
}

TEST_CASE("whatever ends a run that can still write gives up what was under way") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  const StudySpec spec = kernel.spec(6);
  platform.fail = [&] {
    if (platform.trials == 3) throw std::runtime_error("a bug");
  };
  CHECK_THROWS_WITH(run_study(spec, platform, {}), "a bug");
  const StudyRecord left = read_studies(spec.results).at(0);
  CHECK(left.history.size() == 2);
  CHECK(left.unfinished().empty());
}

TEST_CASE("the baseline is never blamed for the end of a run") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  StudySpec spec = kernel.spec(6);
  const FinishedStudy study = run_study(spec, platform, {});
  spec.results = spec.results / "killed";
  const Configuration baseline = study.record.history.trials().front().configuration;
  for (int run = 0; run < 5; ++run)
    RecordWriter(spec.results, study.record.header).append(Started{baseline, 0});
  const FinishedStudy again = run_study(spec, platform, {});
  CHECK(again.record.history.trials().front().configuration == baseline);
  CHECK(again.record.history.trials().front().ok());
  CHECK(again.result.speedup);
}

TEST_CASE("records of a newer version are not continued") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  const StudySpec spec = kernel.spec(6);
  const FinishedStudy study = run_study(spec, platform, {});
  std::ofstream(study.record.place, std::ios::app)
      << R"({"schema": "rooftune-record-9", "event": "trial", "body": {}})" << '\n';
  CHECK_THROWS_WITH(run_study(spec, platform, {}), Contains("rooftune-record-9") &&
                                                       Contains("--fresh") &&
                                                       Contains("newer version"));
  StudySpec fresh = spec;
  fresh.fresh = true;
  CHECK(run_study(fresh, platform, {}).result.best);
}
