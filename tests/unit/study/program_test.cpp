// Studies of whole programs on a synthetic platform: what they are told, what is on record, and
// that nothing is invented where no limit was given.
#include <catch2/catch.hpp>

#include "report/answer.h"
#include "report/study_page.h"
#include "report/terminal.h"
#include "store/study_store.h"
#include "study/find_study.h"
#include "study/model.h"
#include "study/result.h"
#include "synthetic_platform.h"

using namespace rooftune;
using namespace rooftune::synthetic;
using Catch::Contains;

namespace {

/// The valley's space as a program's: no kernel, no kinds, nothing about what a knob breaks.
std::string program_space(const std::string& more = "") {
  return R"({"schema": "rooftune-space-1", "knobs": [
    {"name": "x", "values": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "default": 0},
    {"name": "y", "values": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "default": 0},
    {"name": "nt_store", "values": [false, true], "default": false}])" +
         more + "}";
}

StudySpec program_spec(const SyntheticKernel& kernel, const std::string& space) {
  StudySpec spec = kernel.spec();
  spec.kernel.clear();
  spec.inputs = {{"n=1000", {{"n", Value("1000")}}}};
  Program program;
  program.command = "./app {x} {y} {nt_store}";
  program.space = kernel.folder().write("app.json", space);
  spec.program = program;
  return spec;
}

}  // namespace

TEST_CASE("a program without a stated limit is tuned, raced and reported without a bound") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  StudySpec spec = program_spec(kernel, program_space());
  spec.machine = "never-probed";
  const FinishedStudy study = run_study(spec, platform, {});
  const StudyResult& result = study.result;
  CHECK(result.header.kernel == "app");
  CHECK_FALSE(result.bound.known());
  REQUIRE(result.best);
  CHECK(result.best->gap.total.value == 0);
  REQUIRE(result.speedup);
  CHECK(result.speedup->low > 1);
  CHECK(result.staircase);
  CHECK(result.ledger.empty());
  CHECK(result.counted.empty());
  CHECK(result.drifts.empty());
  CHECK(result.stop.reason == StopReason::budget);
  CHECK(platform.trials >= 40);

  const Json json = to_json(result);
  CHECK(json.at("bound").is_null());
  CHECK(json.at("best").at("gap").is_null());
  CHECK_THAT(json.at("headline").get<std::string>(), Contains("How fast it could be is not known"));
  const std::string summary = terminal_summary(result, TerminalStyle{});
  CHECK_THAT(summary, !Contains("inf") && !Contains("nan"));
  CHECK_THAT(summary, !Contains("gap") && !Contains("\nroofline"));
  CHECK_THAT(study_page(result), !Contains(">inf"));
}

TEST_CASE("the record of a program tells the same, and the same command goes on") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  const StudySpec spec = program_spec(kernel, program_space());
  const FinishedStudy study = run_study(spec, platform, {});
  const StudyHeader& header = study.record.header;
  CHECK_THAT(header.explanation, Contains("space = "));
  StudyRecord stored = *read_study(spec.results, header);
  stored.place = study.record.place;
  CHECK(to_json(analyse(stored)) == to_json(study.result));
  CHECK(changes_since(stored).empty());
  const std::size_t before = platform.trials;
  const FinishedStudy again = run_study(spec, platform, {});
  CHECK(platform.trials == before);
  CHECK(again.record.header.id == header.id);

  kernel.folder().write("app.json", program_space(", \"constraints\": []"));
  REQUIRE(changes_since(stored).size() == 1);
  CHECK_THAT(changes_since(stored)[0], Contains("app.json"));
}

TEST_CASE("work and traffic in the space make a bound, a gap and a ledger") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  const StudySpec spec =
      program_spec(kernel, program_space(R"(, "traffic": {"read": "8*n", "write": 0})"));
  const FinishedStudy study = run_study(spec, platform, {});
  // 8 kB at 16 MB/s.
  CHECK(study.result.bound.time.value() == Approx(0.5e-3));
  REQUIRE(study.result.best);
  CHECK(study.result.best->gap.total.value > 1);
  CHECK_FALSE(study.result.ledger.empty());
  CHECK(study.result.header.cache_state == "cold");
}

TEST_CASE("a program is tuned for several inputs, by their times where there are no bounds") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  StudySpec two = program_spec(kernel, program_space());
  two.inputs.push_back({"n=2000", {{"n", Value("2000")}}});
  const FinishedStudy study = run_study(two, platform, {});
  REQUIRE(study.result.inputs);
  CHECK(study.result.inputs->rows.size() == 2);
  CHECK_FALSE(study.result.inputs->rows[1].bound.known());
  REQUIRE(study.result.best);
  two.objective = Goal::minimax;
  CHECK_THROWS_WITH(run_study(two, platform, {}), Contains("no bound"));
}

TEST_CASE("what has no meaning for a program is refused") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  StudySpec path = program_spec(kernel, program_space());
  path.path = FirstSteps::published;
  CHECK_THROWS_WITH(run_study(path, platform, {}), Contains("--path"));
}
