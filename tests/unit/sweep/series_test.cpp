#include <catch2/catch.hpp>

#include "core/fields.h"
#include "core/file.h"
#include "os/temporary_directory.h"
#include "support/sweep_nights.h"
#include "sweep/outcome.h"

using namespace rooftune;
using rooftune::test::MadeUpStudy;
using rooftune::test::Nights;

TEST_CASE("nights of one problem on one machine are one series, oldest first") {
  TemporaryDirectory folder;
  Nights nights(folder.path());
  for (const double seconds : {3e-3, 2e-3}) {
    nights.begin();
    nights.add("triad", {.seconds = seconds});
    nights.add("other", {.machine = "a100"});
  }
  const SweepHistory history = read_history(folder.path());
  CHECK(history.faults.empty());
  REQUIRE(history.series.size() == 2);
  CHECK(history.series[0].machine == "a100");
  const Series& series = history.series[1];
  CHECK(series.kernel == "triad");
  CHECK(series.problem == "n=1000, matrix=a.mtx");
  CHECK(series.backend == "openmp");
  CHECK(series.threads == 2);
  CHECK(series.cache == "warm");
  CHECK(series.key.size() == 16);
  REQUIRE(series.nights.size() == 2);
  CHECK(series.nights[0].date < series.nights[1].date);
  const Night& night = series.nights[0];
  CHECK(night.plan == "nightly");
  CHECK(night.name == "triad");
  CHECK(night.seconds == Estimate{3e-3, 0.99 * 3e-3, 1.01 * 3e-3});
  CHECK(night.bound->value == 1e-3);
  CHECK(night.gap == Approx(3));
  CHECK(night.ceiling == "DRAM load 2t");
  CHECK(night.ceiling_rate == 3e10);
  CHECK(night.ceiling_unit == "B/s");
  CHECK(night.configuration == Json{{"unroll", 4}});
  CHECK(night.conclusive());
  CHECK(newest_nights(history).size() == 2);
  CHECK(&newest_nights(history)[1].night == &series.nights[1]);
}

TEST_CASE("another machine id begins a series, another compiler does not") {
  TemporaryDirectory folder;
  Nights nights(folder.path());
  for (const MadeUpStudy& study :
       {MadeUpStudy{}, MadeUpStudy{.compiler = "g++ 13.1.0"}, MadeUpStudy{.machine_id = "new"}}) {
    nights.begin();
    nights.add("triad", study);
  }
  const auto series = read_history(folder.path()).series;
  REQUIRE(series.size() == 2);
  CHECK(series[0].key != series[1].key);
  CHECK(series[0].nights.size() + series[1].nights.size() == 3);
}

TEST_CASE("any folder of sweeps is read: of results, of a plan, of one sweep") {
  TemporaryDirectory folder;
  Nights nights(folder.path()), others(folder.path(), "other");
  nights.begin();
  nights.add("triad", {});
  const auto run = nights.begin();
  nights.add("triad", {});
  others.begin();
  others.add("triad", {});
  CHECK(read_history(folder.path()).series.at(0).nights.size() == 3);
  CHECK(read_history(run.parent_path()).series.at(0).nights.size() == 2);
  CHECK(read_history(run).series.at(0).nights.size() == 1);
  CHECK_THROWS_AS(read_history(folder.path() / "nowhere"), Error);
  std::filesystem::create_directories(folder.path() / "empty");
  CHECK_THROWS_AS(read_history(folder.path() / "empty"), Error);
}

TEST_CASE("a file that is broken is said, and the rest is read") {
  TemporaryDirectory folder;
  Nights nights(folder.path());
  const auto run = nights.begin();
  nights.add("triad", {});
  write_atomically(run / "torn.json", "{\"name\": \"torn\", ");
  write_atomically(run / "list.json", "[1, 2]");
  nights.write("hollow", "done", "", Json());
  nights.write("wrong", "done", "", Json{{"kernel", 7}, {"inputs", "x"}});
  Json odd = test::made_up_result({.kernel = "odd"}, "");
  odd["seconds"] = {{"value", -1}, {"low", -1}, {"high", -1}};
  nights.write("odd", "done", "", odd);
  write_atomically(run / "summary.json", "no JSON, and of no use here");
  const SweepHistory history = read_history(folder.path());
  REQUIRE(history.series.size() == 1);
  CHECK(history.series[0].kernel == "triad");
  REQUIRE(history.faults.size() == 5);
  for (const char* name : {"torn", "list", "hollow", "wrong", "odd"})
    CHECK(std::count_if(history.faults.begin(), history.faults.end(), [&](const auto& fault) {
            return fault.find(std::string(name) + ".json") != std::string::npos;
          }) == 1);
}

TEST_CASE("a study that failed stands where it was in other nights") {
  TemporaryDirectory folder;
  Nights nights(folder.path());
  nights.begin();
  nights.add("triad", {});
  nights.add_failed("never", "no kernel \"never\"");
  nights.begin();
  nights.add_failed("triad", "the compiler is gone");
  nights.begin();
  nights.add("triad", {});
  const auto series = read_history(folder.path()).series;
  REQUIRE(series.size() == 2);
  CHECK(series[0].kernel == "never");
  REQUIRE(series[1].nights.size() == 3);
  CHECK(series[1].nights[1].failed());
  CHECK(series[1].nights[1].message == "the compiler is gone");
  CHECK_FALSE(series[1].nights[1].seconds);
}

TEST_CASE("verdicts of a night and the baselines of a series are read") {
  TemporaryDirectory folder;
  Nights nights(folder.path());
  const auto run = nights.begin();
  const SeriesVerdict verdict{.key = "triad.openmp.host.0123",
                              .finding = Standing::regressed,
                              .sentence = "slower",
                              .code = Estimate{1.3, 1.2, 1.4},
                              .raced = true};
  const Json result = test::made_up_result({}, "2026-01-02T00:00:00Z");
  const auto study_file = run / "triad.json";
  write_atomically(
      study_file,
      json_text(Json{
          {"name", "triad"}, {"state", "done"}, {"result", result}, {"verdict", encode(verdict)}}));
  const Acceptance now{"0123", "2026-01-01T00:00:00Z", "me", "new code", {1e-3, 9e-4, 2e-3}};
  const Json baseline{{"schema", "rooftune-baseline-1"},
                      {"accepted", encode(now)},
                      {"earlier", Json::array({encode(now)})}};
  const auto file = baseline_folder(folder.path()) / "triad.openmp.host.0123.json";
  std::filesystem::create_directories(file.parent_path());
  write_atomically(file, json_text(baseline));
  const SweepHistory history = read_history(run);
  CHECK(history.faults.empty());
  const Series& series = history.series.at(0);
  REQUIRE(series.nights[0].verdict);
  CHECK(series.nights[0].verdict->finding == Standing::regressed);
  CHECK(series.nights[0].verdict->ratio() == Estimate{1.3, 1.2, 1.4});
  CHECK(series.nights[0].verdict->sentence == "slower");
  CHECK(series.baselines.size() == 2);
  REQUIRE(series.baseline());
  CHECK(series.baseline()->seconds == Estimate{1e-3, 9e-4, 2e-3});
  CHECK(series.baseline()->why == "new code");
  write_atomically(file, "{\"accepted\": 7}");
  CHECK(read_history(run).faults.size() == 1);
}
