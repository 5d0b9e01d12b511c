// Recorded spaces: each form read, its deviations told, its faults placed, nothing lost on the way.
#include <fmt/format.h>
#include <zlib.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <set>

#include "replay/recording_reader.h"
#include "replay/replay.h"
#include "support/recorded_samples.h"
#include "support/recorded_text.h"
#include "support/store_fixture.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

bool tells(const Recording& recording, const std::string& words) {
  for (const std::string& deviation : recording.deviations)
    if (deviation.find(words) != std::string::npos) return true;
  return false;
}

void check_equal(const Recording& a, const Recording& b) {
  REQUIRE(a.results.size() == b.results.size());
  CHECK(a.knobs.size() == b.knobs.size());
  for (std::size_t r = 0; r < a.results.size(); ++r) {
    INFO(a.results[r].configuration.key());
    CHECK(a.results[r].configuration == b.results[r].configuration);
    CHECK(a.results[r].outcome == b.results[r].outcome);
    CHECK(a.results[r].timestamp == b.results[r].timestamp);
    CHECK(a.results[r].seconds.has_value() == b.results[r].seconds.has_value());
    // To the last digit.
    CHECK(a.results[r].seconds == b.results[r].seconds);
    CHECK(a.results[r].runtimes == b.results[r].runtimes);
    CHECK(a.results[r].build.value_or(0) == b.results[r].build.value_or(0));
    CHECK(a.results[r].framework.value_or(0) == b.results[r].framework.value_or(0));
    CHECK(a.results[r].metrics == b.results[r].metrics);
  }
}

std::string gzip(const std::string& text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string output(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(output.data());
  stream.avail_out = static_cast<uInt>(output.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  output.resize(output.size() - stream.avail_out);
  deflateEnd(&stream);
  return output;
}

std::string expanded(const std::filesystem::path& file) {
  CompressedFile bytes(file);
  std::string text;
  for (std::string_view block = bytes.next(); !block.empty(); block = bytes.next()) text += block;
  return text;
}

}  // namespace

TEST_CASE("T4 results are read with the spellings that writers use, and those are told") {
  const Recording recording = recording_from_text(t4_sample, "a.json");
  CHECK(recording.format == "T4");
  REQUIRE(recording.results.size() == 3);
  CHECK(recording.results[0].seconds == Approx(4e-3));
  CHECK(recording.results[0].runtimes.size() == 3);
  CHECK(recording.results[0].build == Approx(0.9185));
  CHECK(recording.results[0].metrics == std::vector<Metric>{{"dram", 2100194, ""}});
  CHECK(recording.results[2].outcome == Outcome::crashed);
  CHECK(recording.results[2].failure == "RuntimeFailedConfig");
  CHECK(tells(recording, "miliseconds"));
  CHECK(tells(recording, "times.compilation instead of"));
}

TEST_CASE("a unit beside the time outranks the metadata of T4 results") {
  const std::string text =
      replaced(t4_sample, R"("value": 4.0, "unit": "")", R"("value": 4.0, "unit": "us")");
  const Recording recording = recording_from_text(text, "a.json");
  CHECK(recording.results[0].seconds == Approx(4e-6));
  CHECK(tells(recording, "not that of the metadata"));
}

TEST_CASE("cachefiles are read, also unclosed ones and those of early versions") {
  const Recording recording = recording_from_text(cachefile_sample, "a.json");
  CHECK(recording.format == "Kernel Tuner cachefile");
  CHECK(recording.device == "Card");
  REQUIRE(recording.results.size() == 3);
  CHECK(recording.results[1].seconds == Approx(2e-3));
  CHECK(recording.results[0].metrics == std::vector<Metric>{{"GFLOP/s", 1948.5, ""}});
  CHECK(recording.deviations.empty());

  std::string open = cachefile_sample.substr(0, cachefile_sample.rfind("}}")) + "},\n";
  CHECK(recording_from_text(open, "a.json").results.size() == 3);
  open.resize(open.size() - 60);  // in the middle of the last entry
  const Recording torn = recording_from_text(open, "a.json");
  CHECK(torn.results.size() == 2);
  CHECK(tells(torn, "not closed"));

  const Recording early = recording_from_text(
      replaced(cachefile_sample, R"("time": "RuntimeFailedConfig")", R"("time": 1e+20)"), "a.json");
  CHECK(early.results[2].outcome == Outcome::crashed);
  CHECK(tells(early, "huge time"));
}

TEST_CASE("KTT output is read in its own unit of time, with its counters") {
  const Recording recording = recording_from_text(ktt_sample, "a.json");
  CHECK(recording.format == "KTT output");
  CHECK(recording.kernel == "conv");
  REQUIRE(recording.results.size() == 3);
  CHECK(recording.results[0].seconds == Approx(4e-3));
  CHECK(recording.results[1].outcome == Outcome::crashed);
  bool counted = false;
  for (const Metric& metric : recording.results[0].metrics)
    counted = counted || metric.name == "dram__sectors_read.sum";
  CHECK(counted);
}

TEST_CASE("own records are a recorded space") {
  const testing::ResultsDirectory results;
  const auto trials = testing::random_trials(7, 20);
  results.write(trials);
  const Recording recording = recording_of(*results.study());
  CHECK(recording.format == "Rooftune records");
  CHECK(recording.results.size() == results.study()->history.size());
}

TEST_CASE("what is written in a form of the field reads as it was") {
  for (const std::string& sample : {t4_sample, cachefile_sample}) {
    const Recording recording = recording_from_text(sample, "a");
    for (const auto write : {t4_text, cachefile_text}) {
      const Recording again = recording_from_text(write(recording), "b");
      CHECK(again.deviations.empty());
      check_equal(recording, again);
      CHECK(write(again) == write(recording));
    }
  }
  const Recording recording = recording_from_text(cachefile_sample, "a");
  const Recording back = recording_from_text(t4_text(recording), "b");
  CHECK(back.device == "Card");
  CHECK(back.problem_size == Json({4096, 4096}));
}

TEST_CASE("times stay the same to the last digit, however often a file is turned into another") {
  for (const char* time :
       {"11.645952224731445", "1.91824", "43.627521514892578", "9.0092448234558105",
        "0.030680559575577710", "3.8789119720458984", "1e-9", "86400000.1"}) {
    INFO(time);
    const Recording recording = recording_from_text(
        replaced(cachefile_sample, R"("time": 2.0)", fmt::format(R"("time": {})", time)), "a");
    std::string text = cachefile_text(recording);
    for (int turn = 0; turn < 3; ++turn) {
      const Recording again = recording_from_text(t4_text(recording_from_text(text, "b")), "c");
      CHECK(again.results[1].seconds == recording.results[1].seconds);
      CHECK(cachefile_text(again) == text);
      text = cachefile_text(again);
    }
  }
}

TEST_CASE("words that no form knows are told and never taken in silence") {
  const auto reads = [](const std::string& text) { return recording_from_text(text, "a.json"); };
  const Recording time =
      reads(replaced(cachefile_sample, "RuntimeFailedConfig", "FellAsleepConfig"));
  CHECK(time.results[2].outcome == Outcome::crashed);
  CHECK(tells(time, "FellAsleepConfig"));
  const Recording status = reads(replaced(ktt_sample, "ComputationFailed", "Melted"));
  CHECK(status.results[1].outcome == Outcome::crashed);
  CHECK(tells(status, "Melted"));
  CHECK(reads(ktt_sample).deviations.empty());
  CHECK(tells(reads(replaced(t4_sample, "1.0.0", "9.0.0")), "\"9.0.0\", not \"1.0.0\""));
  CHECK(tells(reads(replaced(cachefile_sample, R"("bx": [16, 32])", R"("bx": [16])")),
              "parameter bx has values that tune_params does not list"));
  std::string many = "07+00:00\"}";
  for (int i = 100; i < 200; ++i)
    many += fmt::format(R"(, "{0}": {{"bx": {0}, "pad": 0, "mode": "a", "time": "Odd{0}"}})", i);
  const Recording told = reads(replaced(cachefile_sample, "07+00:00\"}", many));
  CHECK(told.deviations.size() == 51);
  CHECK(told.deviations.back() == "more deviations follow");
}

TEST_CASE("T4 texts keep the community's schema") {
  const Json json = parse_json(t4_text(recording_from_text(ktt_sample, "a")), "b");
  CHECK(json.at("schema_version") == "1.0.0");
  CHECK(json.at("metadata").at("timeunit") == "milliseconds");
  for (const Json& result : json.at("results")) {
    CHECK(result.at("configuration").is_object());
    CHECK(result.at("objectives").is_array());
    CHECK(result.at("correctness").is_number());
    for (const char* key : {"compilation_time", "framework", "search_algorithm", "validation"})
      CHECK(result.at("times").at(key).is_number());
    CHECK(result.at("times").at("runtimes").is_array());
    const std::set<std::string> words{"timeout",     "compile",     "runtime",
                                      "correctness", "constraints", "correct"};
    CHECK(words.count(result.at("invalidity").get<std::string>()) == 1);
    for (const Json& measurement : result.at("measurements")) {
      CHECK(measurement.at("name").is_string());
      CHECK(measurement.at("unit").is_string());
      CHECK((measurement.at("value").is_number() || measurement.at("value").is_string()));
    }
  }
}

TEST_CASE("faults of recorded spaces name their place") {
  const auto fault = [](const std::string& text, const std::string& words) {
    CHECK_THROWS_WITH(recording_from_text(text, "a.json"), Catch::Contains(words));
  };
  fault("{}", "no recorded space");
  fault("[1, 2", "a.json");
  fault(replaced(t4_sample, "\"value\": 4.0", "\"value\": -4.0"),
        "/results/0/measurements/0/value");
  fault(replaced(t4_sample, "[4.0, 3.0", "[4.0, 0"), "/results/0/times/runtimes/1");
  fault(replaced(t4_sample, "\"value\": 4.0", "\"value\": NaN"), "a.json:");
  fault(replaced(t4_sample, "\"bx\": 32", "\"bx\": 16"), "the same configuration as at");
  // Equal as Python's values are.
  fault(replaced(t4_sample, "\"bx\": 32", "\"bx\": 16.0"), "the same configuration as at result 0");
  fault(R"({"cache": {}, "results": []})", "has results in both \"cache\" and \"results\"");
  fault(replaced(t4_sample, "miliseconds", "fortnights"), "unknown unit of time");
  fault(replaced(t4_sample, "\"correct\"", "\"perfect\""), "unknown word");
  fault(replaced(cachefile_sample, "\"time\": 4.0", "\"time\": -1"), "/cache/16,0,a/time");
  fault(replaced(cachefile_sample, "\"32,0,a\"", "\"16,0,a\""), "appears twice");
  fault(replaced(ktt_sample, "\"TotalDuration\": 4000.0", "\"TotalDuration\": 0"),
        "/Results/0/TotalDuration");
  fault(R"({"results": []})", "holds no result");
  fault(replaced(t4_sample, R"("value": 2.0, "unit": "")", R"("value": 2.0, "unit": "parsecs")"),
        "/results/1/measurements/0/unit: unknown unit of time");
  fault(replaced(ktt_sample, "\"Duration\": 2000.0", "\"Duration\": -2000.0"),
        "/Results/2/ComputationResults/0/Duration");
  CHECK_THROWS_WITH(
      recording_from_text(replaced(cachefile_sample, "tune_params_keys", "tuned"), "a.json"),
      "a.json: /tune_params_keys: is missing (an array of names)");
}

TEST_CASE("compressed files expand, and damaged ones and bombs end in an Error") {
  const testing::ResultsDirectory results;
  const auto file = results.path() / "a.json.gz";
  const auto put = [&](const std::string& bytes) {
    std::filesystem::create_directories(results.path());
    std::ofstream(file, std::ios::binary) << bytes;
  };
  const std::string packed = gzip(cachefile_sample);
  put(packed);
  CHECK(read_recording(file).results.size() == 3);
  put(packed + packed);  // two members
  CHECK(expanded(file) == cachefile_sample + cachefile_sample);
  put(packed.substr(0, packed.size() / 2));
  CHECK_THROWS_WITH(expanded(file), Catch::Contains("truncated"));
  std::string damaged = packed;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
  put(damaged);
  CHECK_THROWS_AS(expanded(file), Error);
  put(gzip(std::string(40'000'000, ' ')));
  CHECK_THROWS_WITH(expanded(file), Catch::Contains("expands"));
}

TEST_CASE("the head of a file may come after its results") {
  Json json = parse_json(t4_sample, "a");
  const Json metadata = json.at("metadata");
  json.erase("metadata");
  json["metadata"] = metadata;
  json["metadata"]["timeunit"] = "microseconds";
  const std::string text = json.dump();
  REQUIRE(text.find("results") < text.find("timeunit"));
  CHECK(recording_from_text(text, "a").results[0].seconds == Approx(4e-6));
}

TEST_CASE("results that take far more memory than their file are refused") {
  std::string lists = "[]";
  for (int i = 0; i < 60; ++i) lists += ",[]";
  std::string text = R"({"tune_params_keys": ["a"], "cache": {)";
  for (int i = 0; i < 25'000; ++i)
    text +=
        fmt::format(R"({}"{}": {{"a": {}, "time": 1, "m": [{}]}})", i == 0 ? "" : ",", i, i, lists);
  CHECK_NOTHROW(recording_from_text(text + "}}", "a.json"));
  const testing::ResultsDirectory results;
  std::filesystem::create_directories(results.path());
  const auto file = results.path() / "a.json.gz";
  std::ofstream(file, std::ios::binary) << gzip(text + "}}");
  CHECK_THROWS_WITH(read_recording(file),
                    Catch::Contains("far more than the file") && Catch::Contains("/cache/"));
}

TEST_CASE("a replay answers with the recorded times and their noise, always the same for a seed") {
  const Recording recording = recording_from_text(cachefile_sample, "a");
  const Replay replay(recording);
  CHECK(replay.optimum == Approx(2e-3));
  CHECK(replay.space.size() == 3);
  const Configuration noisy = recording.results[0].configuration;
  std::set<double> seen;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Trial trial = replay.evaluate(noisy, seed);
    REQUIRE(trial.ok());
    // The quartile of the repeats is 3.5 ms; drawn anew it lies between their extremes.
    CHECK(trial.measurement->seconds.value >= 4e-3 * 3 / 3.5 * 0.999);
    CHECK(trial.measurement->seconds.value <= 4e-3 * 5 / 3.5 * 1.001);
    CHECK(replay.evaluate(noisy, seed).measurement->seconds.value ==
          trial.measurement->seconds.value);
    seen.insert(trial.measurement->seconds.value);
  }
  CHECK(seen.size() > 3);
  CHECK(replay.evaluate(recording.results[2].configuration, 3).outcome == Outcome::crashed);
  CHECK(replay.evaluate(Configuration(), 3).outcome == Outcome::build_failed);
}
