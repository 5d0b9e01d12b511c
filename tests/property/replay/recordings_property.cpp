// Laws of recorded spaces: whatever they hold comes back from the forms of the field.
#include <catch2/catch.hpp>

#include "core/rng.h"
#include "support/recorded_text.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

Value odd_value(Rng& rng) {
  static const std::vector<Value> all{0,   -1, 7,         1.5,        2.0, 1e300, true,
                                      "a", "", "x \"y\"", "\xc3\xa4", "1", "%d"};
  return all[rng.below(all.size())];
}

/// Milliseconds that survive the way into and out of the unit.
double duration(Rng& rng) { return static_cast<double>(1 + rng.below(1U << 20)) / 1024; }

/// Outcomes that the form itself has no word for.
void state_outcome(Json& entry, Rng& rng) {
  static const Outcome failed[] = {Outcome::timed_out, Outcome::out_of_memory,
                                   Outcome::wrong_result};
  if (entry["time"].is_number())
    entry[outcome_member] = to_text(Outcome::unstable);
  else if (entry["time"] == "RuntimeFailedConfig")
    entry[outcome_member] = to_text(failed[rng.below(3)]);
}

bool close(const std::optional<double>& a, const std::optional<double>& b) {
  return a.has_value() == b.has_value() && (!a || *a == Approx(*b).epsilon(1e-14));
}

Json cachefile(Rng& rng) {
  Json names = Json::array(), values = Json::object(), cache = Json::object();
  const std::size_t knobs = 1 + rng.below(4);
  for (std::size_t k = 0; k < knobs; ++k) names.push_back("k" + std::to_string(k));
  for (const Json& name : names) values[name.get<std::string>()] = Json::array();
  for (std::uint64_t entries = 1 + rng.below(12); entries > 0; --entries) {
    Json entry = Json::object();
    std::string key;
    for (const Json& name : names) {
      const Value value = odd_value(rng);
      key += to_text(value) + "|";
      entry[name.get<std::string>()] = to_json(value);
      values[name.get<std::string>()].push_back(to_json(value));
    }
    static const char* const failures[] = {"InvalidConfig", "CompilationFailedConfig",
                                           "RuntimeFailedConfig"};
    if (rng.below(3) == 0) {
      entry["time"] = entry["__error__"] = failures[rng.below(3)];
    } else {
      entry["time"] = duration(rng);
      entry["times"] = {duration(rng), duration(rng)};
    }
    if (rng.below(2) == 0) state_outcome(entry, rng);
    for (const char* cost :
         {"compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time"})
      entry[cost] = duration(rng);
    entry["timestamp"] = "2023-12-22 09:54:05+00:00";
    if (rng.below(2) == 0) entry["GFLOP/s"] = duration(rng);
    cache[key] = entry;
  }
  return {{"device_name", "Card"},     {"kernel_name", "k"},    {"problem_size", {64, 64}},
          {"tune_params_keys", names}, {"tune_params", values}, {"objective", "time"},
          {"schema_version", "1.1.0"}, {"cache", cache}};
}

void check_same(const Recording& a, const Recording& b) {
  CHECK(a.kernel == b.kernel);
  CHECK(a.device == b.device);
  CHECK(a.problem_size == b.problem_size);
  REQUIRE(a.results.size() == b.results.size());
  for (std::size_t i = 0; i < a.results.size(); ++i) {
    const RecordedResult &x = a.results[i], &y = b.results[i];
    INFO(x.configuration.key());
    CHECK(x.configuration == y.configuration);
    CHECK(x.outcome == y.outcome);
    CHECK(x.failure == y.failure);
    CHECK(close(x.seconds, y.seconds));
    REQUIRE(x.runtimes.size() == y.runtimes.size());
    for (std::size_t r = 0; r < x.runtimes.size(); ++r) CHECK(close(x.runtimes[r], y.runtimes[r]));
    CHECK(close(x.build, y.build));
    CHECK(close(x.validate, y.validate));
    CHECK(close(x.measure, y.measure));
    CHECK(close(x.search, y.search));
    CHECK(close(x.framework, y.framework));
    CHECK(x.timestamp == y.timestamp);
    CHECK(x.metrics == y.metrics);
  }
}

}  // namespace

TEST_CASE("any recorded space comes back from T4 and from a cachefile") {
  int read = 0;
  for (std::uint64_t round = 0; round < 300; ++round) {
    Rng rng(20261121, round);
    const std::string text = cachefile(rng).dump();
    INFO(text);
    std::optional<Recording> recording;
    try {
      recording = recording_from_text(text, "a");
    } catch (const Error&) {
      continue;  // a configuration twice
    }
    ++read;
    check_same(*recording, recording_from_text(t4_text(*recording), "b"));
    const Recording again = recording_from_text(cachefile_text(*recording), "c");
    check_same(*recording, again);
  }
  CHECK(read > 100);
}

TEST_CASE("configurations whose keys would be alike do not get lost") {
  const Recording recording = recording_from_text(
      R"({"device_name": "d", "kernel_name": "k", "problem_size": 1, "objective": "time",
          "tune_params_keys": ["a", "b"], "tune_params": {"a": ["x,y", "x"], "b": ["z", "y,z"]},
          "cache": {"1": {"a": "x,y", "b": "z", "time": 1.0}, "2": {"a": "x", "b": "y,z", "time": 2.0}}})",
      "a");
  CHECK_THROWS_WITH(cachefile_text(recording), Catch::Contains("have the same key"));
  CHECK(recording_from_text(t4_text(recording), "b").results.size() == 2);
}
