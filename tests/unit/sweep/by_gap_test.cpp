#include "sweep/by_gap.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "core/file.h"
#include "os/temporary_directory.h"
#include "sweep/sweep.h"

using namespace rooftune;

namespace {

const char* const shared = R"({"schema": "rooftune-sweep-1", "name": "night",
  "budget": {"total": "80s", "by": "gap", "slice": "5s"}, "defaults": {"target_gap": 1.1},
  "studies": [{"name": "far", "kernel": "a"}, {"name": "stuck", "kernel": "b"},
              {"name": "done", "kernel": "c"}, {"name": "broken", "kernel": "d"}]})";

Plan plan_of(const std::string& text) {
  TemporaryDirectory folder;
  write_atomically(folder.path() / "plan.json", text);
  return read_plan(folder.path() / "plan.json");
}

std::string fault_of(const std::string& text) {
  try {
    plan_of(text);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// Studies whose gap is a function of the time searched, on a clock of their own.
struct FakeMachine {
  std::map<std::string, double> searched;
  std::vector<std::string> turns;
  std::size_t killed_at = 1000;
  struct Killed {};

  double gap(const std::string& study) const {
    const double time = searched.at(study);
    return study == "far" ? 1.2 + 4 * std::exp(-time / 20) : study == "stuck" ? 8 : 1.05;
  }
  StudyOutcome run(const StudyTurn& turn) {
    const std::string& name = turn.study.name;
    turns.push_back(name + (turn.fresh ? "*" : "") + (turn.search_until ? "" : " end"));
    if (turns.size() == killed_at) throw Killed{};
    if (name == "broken") throw Error("no such kernel", "here");
    // The last trial is longer; what is on record is not searched again.
    if (turn.search_until) searched[name] = std::max(searched[name], *turn.search_until + 0.25);
    StudyOutcome outcome;
    StudyFigures& figures = outcome.result.emplace();
    figures.kernel = name;
    figures.searched = searched[name];
    figures.gap = gap(name);
    figures.stop = name == "done" ? StopReason::closed : StopReason::budget;
    return outcome;
  }
  StudyRunner runner() {
    return [this](const StudyTurn& turn) { return run(turn); };
  }
};

}  // namespace

TEST_CASE("a shared budget gives every study one slice, then follows the gap that still falls") {
  TemporaryDirectory folder;
  const Plan plan = plan_of(shared);
  FakeMachine machine;
  const SweepSummary summary = run_sweep(plan, folder.path(), machine.runner());
  REQUIRE(summary.slices.size() > 8);
  CHECK(std::vector<std::string>(machine.turns.begin(), machine.turns.begin() + 4) ==
        std::vector<std::string>{"far*", "stuck*", "done*", "broken*"});
  // The largest gap first: log(8 / 1.1) is more than what is left of the falling one.
  CHECK(summary.slices[4].study == "stuck");
  // Each slice without a gain halves what the next may be worth.
  const auto far = slices_of(summary.slices, "far"), stuck = slices_of(summary.slices, "stuck");
  CHECK(far.size() > 2 * stuck.size());
  CHECK(slices_of(summary.slices, "done").size() == 1);
  CHECK(slices_of(summary.slices, "broken").size() == 1);
  CHECK(charged(summary.slices) <= 80.25);
  CHECK(charged(summary.slices) > 79);
  // At the end every study is finished once, without more searching.
  REQUIRE(summary.studies.size() == 4);
  CHECK(machine.turns.back() == "broken end");
  CHECK(summary.studies[3].state == StudyOutcome::State::failed);
  CHECK(summary.complete());
}

TEST_CASE("a sweep by gap that is killed goes on as if it had not been") {
  TemporaryDirectory whole, cut;
  const Plan plan = plan_of(shared);
  FakeMachine undisturbed;
  const SweepSummary expected = run_sweep(plan, whole.path(), undisturbed.runner());
  for (const std::size_t at : {2u, 7u, 12u}) {
    FakeMachine machine;
    machine.killed_at = at;
    const auto root = cut.path() / std::to_string(at);
    CHECK_THROWS_AS(run_sweep(plan, root, machine.runner()), FakeMachine::Killed);
    machine.killed_at = 1000;
    const SweepSummary resumed = run_sweep(plan, root, machine.runner());
    CHECK(encode(resumed.slices) == encode(expected.slices));
    // The turn that was cut short is taken again and continues its records.
    const std::string cut_short = undisturbed.turns[at - 1];
    CHECK(machine.turns[at] == cut_short.substr(0, cut_short.find('*')));
  }
}

TEST_CASE("slices that cannot be read are told again by the studies' own records") {
  TemporaryDirectory folder;
  const Plan plan = plan_of(shared);
  FakeMachine machine;
  machine.killed_at = 7;
  CHECK_THROWS_AS(run_sweep(plan, folder.path(), machine.runner()), FakeMachine::Killed);
  std::filesystem::path slices;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
    if (entry.path().filename() == "slices.json") slices = entry.path();
  REQUIRE_FALSE(slices.empty());
  write_atomically(slices, read_text(slices).substr(0, 100));
  machine.killed_at = 1000;
  const SweepSummary resumed = run_sweep(plan, folder.path(), machine.runner());
  CHECK(resumed.complete());
  CHECK(charged(resumed.slices) <= 80.25);
}

TEST_CASE("no study gets more once none has anything to gain") {
  Plan plan = plan_of(shared);
  std::vector<Slice> taken;
  for (const PlannedStudy& study : plan.studies)
    taken.push_back({study.name, 5, 5, 1.08});  // within the target
  CHECK_FALSE(next_turn(plan, taken));
  taken[1].gap = 1.5;
  REQUIRE(next_turn(plan, taken));
  CHECK(next_turn(plan, taken)->study == 1);
  CHECK(next_turn(plan, taken)->until == 10);
  taken[1].stopped = StopReason::exhausted;
  CHECK_FALSE(next_turn(plan, taken));
  CHECK(decoded<std::vector<Slice>>(encode(taken), "here")[1].stopped == StopReason::exhausted);
  CHECK_THROWS_WITH(decoded<std::vector<Slice>>(Json{{"a", 1}}, "slices.json"),
                    Catch::Contains("slices.json"));
}

TEST_CASE("a shared budget is checked, and excludes budgets of studies") {
  CHECK(plan_of(shared).budget->total == 80);
  const std::string head = R"({"schema": "rooftune-sweep-1", "budget": )";
  const std::string two = R"(, "studies": [{"kernel": "a"}, {"kernel": "b"}]})";
  CHECK(plan_of(head + R"({"total": "80s", "by": "gap"})" + two).budget->slice == 10);
  CHECK(fault_of(head + R"({"total": "soon", "by": "gap"})" + two).find("/budget/total") !=
        std::string::npos);
  CHECK(fault_of(head + R"({"total": "1min", "by": "luck"})" + two).find("/budget/by") !=
        std::string::npos);
  CHECK(fault_of(head + R"({"total": "1min", "by": "gap", "slice": "40s"})" + two)
            .find("smaller \"slice\"") != std::string::npos);
  CHECK(fault_of(head + R"({"total": "1min", "by": "gap", "slce": "4s"})" + two)
            .find("/budget/slce") != std::string::npos);
  const std::string own =
      R"({"total": "1min", "by": "gap"}, "studies": [{"kernel": "a", "budget": 40}]})";
  CHECK(fault_of(head + own).find("/studies/0/budget") != std::string::npos);
}
