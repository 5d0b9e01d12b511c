// Shards of a plan: who runs what, and that it is done once however many run it.
#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <mutex>
#include <thread>

#include "core/error.h"
#include "core/file.h"
#include "os/temporary_directory.h"
#include "sweep/plan.h"
#include "sweep/sweep.h"

using namespace rooftune;

namespace {

/// Studies s1, s2, ...; every third is on machine "other".
Plan plan_of(std::size_t studies) {
  Plan plan;
  plan.name = "night";
  plan.key = "0123456789abcdef";
  for (std::size_t i = 1; i <= studies; ++i) {
    PlannedStudy study;
    study.name = "s" + std::to_string(i);
    study.spec.machine = i % 3 == 0 ? "other" : "host";
    plan.studies.push_back(study);
  }
  return plan;
}

std::string shard_fault(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("shards of a machine hold each of its studies once") {
  const Plan plan = plan_of(17);
  for (const std::string machine : {"", "host", "other"})
    for (const std::size_t count : {1, 2, 5, 30}) {
      std::map<std::size_t, int> times;
      for (std::size_t index = 1; index <= count; ++index)
        for (const std::size_t position : studies_of(plan, machine, {index, count}))
          ++times[position];
      CHECK(times.size() == studies_of(plan, machine, {}).size());
      for (const auto& [position, number] : times) {
        CHECK(number == 1);
        CHECK((machine.empty() || plan.studies[position].spec.machine == machine));
      }
    }
  CHECK(machines_of(plan) == std::vector<std::string>{"host", "other"});
}

TEST_CASE("what is urgent begins at once, on as many nodes as there are") {
  Plan plan = plan_of(6);
  for (PlannedStudy& study : plan.studies) study.spec.machine = "host";
  plan.studies[3].priority = plan.studies[5].priority = 2;
  CHECK(studies_of(plan, "", {1, 2}) == std::vector<std::size_t>{3, 0, 2});
  CHECK(studies_of(plan, "", {2, 2}) == std::vector<std::size_t>{5, 1, 4});
}

TEST_CASE("what is no shard is refused with the cure") {
  const Plan plan = plan_of(4);
  for (const char* text : {"0/8", "9/8", "3", "a/b", "1/", "-1/2", "1/2/3", ""})
    CHECK(shard_fault([&] { parse_shard(text); }).find("1/8 to 8/8") != std::string::npos);
  CHECK(parse_shard("8/8").index == 8);
  CHECK(shard_fault([&] { studies_of(plan, "hots", {}); }).find("\"host\"") != std::string::npos);
}

TEST_CASE("a run of another plan is no place for a shard") {
  const TemporaryDirectory folder;
  const Plan plan = plan_of(1);
  const auto run = open_run(plan, folder.path());
  require_run_of(plan, run);
  Plan changed = plan;
  changed.key = "fedcba9876543210";
  CHECK(shard_fault([&] { require_run_of(changed, run); }).find("another sweep") !=
        std::string::npos);
  CHECK(shard_fault([&] { require_run_of(plan, folder.path() / "gone"); }).find("no such folder") !=
        std::string::npos);
}

TEST_CASE("copies of a shard at the same time do each study once") {
  const TemporaryDirectory folder;
  const Plan plan = plan_of(6);
  std::atomic<int> runs{0};
  const StudyRunner runner = [&](const StudyTurn&) {
    const int mine = ++runs;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    StudyOutcome outcome;
    outcome.result.emplace().kernel = "k";
    outcome.result->searched = mine;
    return outcome;
  };
  std::vector<SweepSummary> ends(4);
  std::mutex mutex;
  std::vector<std::filesystem::path> places(ends.size());
  {
    std::vector<std::jthread> copies;
    for (std::size_t copy = 0; copy < ends.size(); ++copy)
      copies.emplace_back([&, copy] {
        const auto run = open_run(plan, folder.path());
        const SweepSummary end = run_part(plan, run, {0, 1, 2, 3, 4, 5}, runner);
        const std::lock_guard lock(mutex);
        places[copy] = run;
        ends[copy] = end;
      });
  }
  CHECK(runs == 6);
  for (std::size_t copy = 0; copy < ends.size(); ++copy) {
    CHECK(places[copy] == places[0]);
    REQUIRE(ends[copy].studies.size() == 6);
    for (std::size_t i = 0; i < 6; ++i)
      CHECK(encode(ends[copy].studies[i].result) == encode(ends[0].studies[i].result));
  }
}

TEST_CASE("a shard that was interrupted keeps its outcomes, and nobody ends the run for it") {
  const TemporaryDirectory folder;
  const Plan plan = plan_of(4);
  const auto run = open_run(plan, folder.path());
  bool stop = true;
  const StudyRunner runner = [&](const StudyTurn& turn) -> StudyOutcome {
    if (stop && turn.study.name == "s3") throw Interrupted{};
    if (turn.study.name == "s1") throw Error("no such kernel");
    return {};
  };
  CHECK_FALSE(run_part(plan, run, {0, 2}, runner).complete());
  SweepSummary all = collected(plan, run);
  CHECK(all.studies[0].state == StudyOutcome::State::failed);
  CHECK(all.studies[2].state == StudyOutcome::State::interrupted);
  write_summary(all);
  CHECK_FALSE(std::filesystem::exists(run / "summary.json"));
  stop = false;
  CHECK(run_part(plan, open_run(plan, folder.path()), {0, 2}, runner).complete());
  CHECK(run_part(plan, run, {1, 3}, runner).complete());
  // An outcome that cannot be read is none.
  write_atomically(run / "s2.json", "{");
  CHECK_FALSE(collected(plan, run).complete());
  run_part(plan, run, {1, 3}, runner);
  all = collected(plan, run);
  CHECK(all.complete());
  CHECK(all.failed());
  write_summary(all);
  CHECK(open_run(plan, folder.path()) != run);
}
