#include "sweep/sweep.h"

#include <catch2/catch.hpp>

#include "core/error.h"
#include "core/file.h"
#include "os/temporary_directory.h"

using namespace rooftune;

namespace {

std::filesystem::path plan_file(const std::filesystem::path& folder, const std::string& text) {
  const auto file = folder / "plan.json";
  write_atomically(file, text);
  return file;
}

const char* const three = R"({"schema": "rooftune-sweep-1", "name": "night",
  "defaults": {"budget": 7, "seed": 3},
  "studies": [{"kernel": "triad", "problem": {"n": 2000}},
              {"kernel": "triad", "problem": {"n": 4000}, "budget": "30s"},
              {"name": "mine", "kernel": "./mykernel"}]})";

std::string plan_fault(const std::string& text) {
  TemporaryDirectory folder;
  try {
    read_plan(plan_file(folder.path(), text));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a plan fills studies from its defaults and names them apart") {
  TemporaryDirectory folder;
  const Plan plan = read_plan(plan_file(folder.path(), three));
  REQUIRE(plan.studies.size() == 3);
  CHECK(plan.name == "night");
  CHECK(plan.studies[0].name == "triad");
  CHECK(plan.studies[0].spec.budget == Budget{.evaluations = 7});
  CHECK(plan.studies[0].spec.seed == 3);
  CHECK(plan.studies[0].spec.inputs.at(0).parameters.at("n") == Value(2000));
  CHECK(plan.studies[1].name == "triad-2");
  CHECK(plan.studies[1].spec.budget == Budget{.time = Seconds(30)});
  CHECK(plan.studies[2].spec.kernel == (folder.path() / "mykernel").string());
}

TEST_CASE("a list of problems is one study of several inputs") {
  TemporaryDirectory folder;
  const Plan plan = read_plan(plan_file(folder.path(), R"({"schema": "rooftune-sweep-1",
    "defaults": {"problem": {"steps": 4}, "budget": 7},
    "studies": [{"kernel": "a", "problem": [{"n": 10}, {"n": 20, "steps": 8}],
                 "objective": "minimax"}]})"));
  const StudySpec& spec = plan.studies[0].spec;
  REQUIRE(spec.inputs.size() == 2);
  CHECK(spec.inputs[0].parameters == Facts{{"n", 10}, {"steps", 4}});
  CHECK(spec.inputs[1].parameters == Facts{{"n", 20}, {"steps", 8}});
  CHECK(spec.inputs[1].name == "n=20,steps=8");
  CHECK(spec.objective == Goal::minimax);
  CHECK(plan_fault(R"({"schema": "rooftune-sweep-1", "studies": [{"kernel": "a",
      "problem": [{"n": 1}], "objective": "median"}]})")
            .find("/studies/0/objective") != std::string::npos);
}

TEST_CASE("a plan says what is old, and a wrong word is named") {
  TemporaryDirectory folder;
  const std::string end = R"(, "studies": [{"kernel": "a"}]})";
  const std::string begin = R"({"schema": "rooftune-sweep-1", "retention": )";
  const Plan plan = read_plan(plan_file(folder.path(), begin + R"({"older_than": "90d"})" + end));
  CHECK(plan.retention == Seconds(90 * 86400.0));
  CHECK_FALSE(read_plan(plan_file(folder.path(), three)).retention);
  for (const char* const wrong :
       {"{}", R"({"older_than": "soon"})", R"({"older_than": "9d", "keep": 1})"})
    CHECK(plan_fault(begin + wrong + end).find("/retention/") != std::string::npos);
}

TEST_CASE("an objective in a plan's defaults is replaced by a study's own") {
  TemporaryDirectory folder;
  const Plan plan = read_plan(plan_file(folder.path(), R"({"schema": "rooftune-sweep-1",
    "defaults": {"objective": "minimax"},
    "studies": [{"kernel": "a"}, {"kernel": "b", "objective": "time"},
                {"kernel": "c", "problem": [{"n": 1}, {"n": 2}], "objective": "mean"}]})"));
  CHECK(plan.studies[0].spec.objective == Goal::minimax);
  CHECK(plan.studies[1].spec.objective == Goal::time);
  CHECK(plan.studies[2].spec.objective == Goal::mean);
}

TEST_CASE("what a plan says of a problem is a value, whatever its text holds") {
  TemporaryDirectory folder;
  const Plan plan = read_plan(plan_file(folder.path(), R"({"schema": "rooftune-sweep-1",
    "studies": [{"kernel": "a", "problem": {"matrix": "dir/x,y=1.mtx", "n": 3, "deep": true}}]})"));
  const Facts& parameters = plan.studies[0].spec.inputs.at(0).parameters;
  CHECK(parameters.at("matrix") == Value("dir/x,y=1.mtx"));
  CHECK(parameters.at("n").is_integer());
  CHECK(parameters.at("deep").is_bool());
}

TEST_CASE("every fault of a plan is named at its place") {
  const std::string text = plan_fault(R"({"schema": "rooftune-sweep-1", "studies": [
      {"kernel": "triad", "budget": "soon"}, {"kernl": "x"}, {"kernel": "a", "target_gap": 0.5}]})");
  CHECK(text.find("/studies/0/budget") != std::string::npos);
  CHECK(text.find("did you mean \"kernel\"") != std::string::npos);
  CHECK(text.find("/studies/2/target_gap") != std::string::npos);
  CHECK(plan_fault(R"({"schema": "rooftune-sweep-1", "studies": []})").find("no study") !=
        std::string::npos);
  CHECK(plan_fault(R"({"schema": "other", "studies": [{"kernel": "a"}]})").find("/schema") !=
        std::string::npos);
  CHECK(
      plan_fault(R"({"schema": "rooftune-sweep-1", "studies": [{"kernel": "a", "name": "../x"}]})")
          .find("/studies/0/name") != std::string::npos);
}

TEST_CASE("no study is called like a file of the sweep itself") {
  CHECK(plan_fault(
            R"({"schema": "rooftune-sweep-1", "studies": [{"kernel": "a", "name": "summary"}]})")
            .find("/studies/0/name: \"summary\" is a file of the sweep itself") !=
        std::string::npos);
  CHECK_FALSE(
      plan_fault(R"({"schema": "rooftune-sweep-1", "studies": [{"kernel": "summary"}]})").empty());
}

TEST_CASE("a fault of any kind ends one study and not the sweep") {
  TemporaryDirectory folder;
  const Plan plan = read_plan(plan_file(folder.path(), three));
  const StudyRunner runner = [&](const StudyTurn& turn) -> StudyOutcome {
    if (turn.study.name == "triad") throw std::out_of_range("basic_string::substr");
    if (turn.study.name == "triad-2") std::filesystem::create_directories("/proc/no/where");
    return {};
  };
  const SweepSummary summary = run_sweep(plan, folder.path() / "results", runner);
  REQUIRE(summary.studies.size() == 3);
  CHECK(summary.studies[0].state == StudyOutcome::State::failed);
  CHECK(summary.studies[1].state == StudyOutcome::State::failed);
  CHECK(summary.studies[1].message.find("/proc/no") != std::string::npos);
  CHECK(summary.studies[2].state == StudyOutcome::State::done);
}

TEST_CASE("a sweep runs all studies, failures included, and the next call is a new run") {
  TemporaryDirectory folder;
  const Plan plan = read_plan(plan_file(folder.path(), three));
  std::vector<std::string> ran;
  const StudyRunner runner = [&](const StudyTurn& turn) {
    const PlannedStudy& study = turn.study;
    CHECK(turn.fresh);
    ran.push_back(study.name);
    if (study.name == "triad-2") throw Error("no such thing", "here");
    StudyOutcome outcome;
    outcome.result.emplace().kernel = study.spec.kernel;
    return outcome;
  };
  const SweepSummary summary = run_sweep(plan, folder.path() / "results", runner);
  CHECK(ran == std::vector<std::string>{"triad", "triad-2", "mine"});
  CHECK(summary.complete());
  CHECK(summary.failed());
  CHECK(summary.studies[1].message.find("no such thing") != std::string::npos);
  CHECK(read_json(summary.directory / "summary.json").at("failed") == true);
  const SweepSummary second = run_sweep(plan, folder.path() / "results", runner);
  CHECK(second.directory != summary.directory);
  CHECK(ran.size() == 6);
}

TEST_CASE("a race that told nothing is held again at the end of the night, from the records") {
  TemporaryDirectory folder;
  const Plan plan = read_plan(plan_file(folder.path(), three));
  std::vector<std::pair<std::string, bool>> ran;
  const StudyRunner runner = [&](const StudyTurn& turn) {
    ran.emplace_back(turn.study.name, turn.fresh);
    StudyOutcome outcome;
    if (turn.study.name == "mine") return outcome;
    const bool again = turn.study.name == "triad" && !turn.fresh;
    outcome.verdict = SeriesVerdict{.key = "key",
                                    .finding = again ? Standing::regressed : Standing::inconclusive,
                                    .raced = true};
    return outcome;
  };
  const SweepSummary summary = run_sweep(plan, folder.path(), runner);
  const std::vector<std::pair<std::string, bool>> expected{
      {"triad", true}, {"triad-2", true}, {"mine", true}, {"triad", false}, {"triad-2", false}};
  CHECK(ran == expected);
  CHECK(summary.studies[0].verdict->finding == Standing::regressed);
  CHECK(summary.studies[1].verdict->finding == Standing::inconclusive);
  const auto kept = outcome_of("triad", summary.directory);
  REQUIRE((kept && kept->verdict));
  CHECK(kept->verdict->finding == Standing::regressed);
}

TEST_CASE(
    "a sweep that was cut short resumes: finished studies are kept, the one in flight continues") {
  TemporaryDirectory folder;
  const Plan plan = read_plan(plan_file(folder.path(), three));
  struct Killed {};
  std::vector<std::pair<std::string, bool>> ran;
  bool kill = true;
  const StudyRunner runner = [&](const StudyTurn& turn) {
    const PlannedStudy& study = turn.study;
    ran.emplace_back(study.name, turn.fresh);
    if (study.name == "triad-2" && kill) throw Killed{};  // as kill -9 would: nothing is written
    return StudyOutcome{};
  };
  CHECK_THROWS_AS(run_sweep(plan, folder.path() / "results", runner), Killed);
  kill = false;
  const SweepSummary summary =
      run_sweep(plan, folder.path() / "results", runner, {.begin = Begin::continued});
  CHECK(summary.complete());
  CHECK(summary.studies[0].earlier);
  const std::vector<std::pair<std::string, bool>> expected{
      {"triad", true}, {"triad-2", true}, {"triad-2", false}, {"mine", true}};
  CHECK(ran == expected);
  CHECK_THROWS_WITH(run_sweep(plan, folder.path() / "results", runner, {.begin = Begin::continued}),
                    Catch::Contains("no night of this plan ended early"));
  // Unless it is told to, it begins another night.
  kill = true;
  CHECK_THROWS_AS(run_sweep(plan, folder.path() / "results", runner), Killed);
  kill = false;
  CHECK_FALSE(run_sweep(plan, folder.path() / "results", runner).studies[0].earlier);
}

TEST_CASE("the log tells which study is next, and what is left out") {
  TemporaryDirectory folder;
  const Plan plan = read_plan(plan_file(folder.path(), R"({"schema": "rooftune-sweep-1",
    "name": "night", "budget": {"total": "1min"}, "defaults": {"budget": "10min"},
    "studies": [{"kernel": "a"}, {"kernel": "b", "priority": 1}]})"));
  const StudyRunner runner = [&](const StudyTurn& turn) -> StudyOutcome {
    if (turn.study.name == "a") throw Interrupted{};
    return {};
  };
  std::string said;
  const SweepControl control{.log = [&](const std::string& line) { said += line + "\n"; }};
  CHECK_FALSE(run_sweep(plan, folder.path(), runner, control).complete());
  CHECK(said.find("== b: 1 of 2 ==\n") != std::string::npos);
  CHECK(said.find("b: done after") != std::string::npos);
  CHECK(said.find("== a: 2 of 2 ==\na: interrupted") != std::string::npos);
  said.clear();
  run_sweep(plan, folder.path(), runner, {.begin = Begin::continued, .log = control.log});
  CHECK(said.find("b: ended earlier in this run, kept\n") != std::string::npos);
}

TEST_CASE("runs stand in the order in which they began, whatever the clock said") {
  TemporaryDirectory folder;
  const Plan plan = read_plan(plan_file(folder.path(), three));
  const auto root = runs_of(plan, folder.path());
  const auto end = [&](const std::filesystem::path& run) {
    write_atomically(run / summary_file, "{}");
  };
  // The clock was years ahead when this one began.
  const auto ahead = root / ("2099-01-01T00-00-00Z." + plan.key);
  std::filesystem::create_directories(ahead);
  end(ahead);
  std::filesystem::path before = ahead;
  for (int night = 0; night < 12; ++night) {
    const auto run = open_run(plan, folder.path());
    CHECK(run > before);
    CHECK(open_run(plan, folder.path()) == run);
    end(run);
    before = run;
  }
}
