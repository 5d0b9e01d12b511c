#include "trial/trial.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/error.h"

using namespace rooftune;

namespace {

Trial measured() {
  Trial trial;
  trial.index = 7;
  trial.configuration.set("unroll", 4);
  trial.configuration.set("format", "csr");
  trial.configuration.set("share", 0.1);
  Measurement m;
  m.samples = {{0.00123456789012345, 0.997, 0}, {0.002, 0.5, 3}};
  m.repeats = 12;
  m.seconds = {0.0012, 0.0011, 0.0013};
  m.best = 0.0011;
  m.median = 0.00125;
  m.disturbed = true;
  m.prepare_seconds = 0.5;
  m.max_error = 1e-15;
  trial.measurement = m;
  trial.cost = {1, 2, 3, 6.5};
  trial.artefact = "abc";
  trial.started = "2026-11-21T09:30:00Z";
  return trial;
}

std::string fault_of(const Json& json) {
  try {
    decoded<Trial>(json, "r.jsonl:3");
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("every outcome has a word and every word an outcome") {
  CHECK(enumerators<Outcome>().size() == 8);
  for (const Outcome o : enumerators<Outcome>())
    CHECK(enumerator<Outcome>("outcome", to_text(o)) == o);
  CHECK(std::string(to_text(Outcome::pruned)) == "pruned");
  CHECK_THROWS_AS(enumerator<Outcome>("outcome", "okay"), Error);
}

TEST_CASE(
    "a sample of an older record says nothing of waits, a longer or shorter row nothing at all") {
  CHECK(decoded<Sample>(parse_json("[1, 0.5, 3]", "r"), "r").waited < 0);
  CHECK(decoded<Sample>(parse_json("[1, 0.5, 3, 0.01]", "r"), "r").clean());
  CHECK_FALSE(decoded<Sample>(parse_json("[1, 1, 0, 0.03]", "r"), "r").clean());
  CHECK(encode(Sample{1, 1, 0}).size() == 3);
  CHECK(encode(Sample{1, 1, 0, 0}).size() == 4);
  CHECK_THROWS_AS(decoded<Sample>(parse_json("[1, 1]", "r"), "r"), Error);
  CHECK_THROWS_AS(decoded<Sample>(parse_json("[1, 1, 0, 0, 0, 0]", "r"), "r"), Error);
}

TEST_CASE("a trial comes back from JSON digit for digit") {
  const Trial before = measured();
  // Through text, as the record file does it.
  const Trial after = decoded<Trial>(parse_json(encode(before).dump(), "r"), "r");
  CHECK(after.index == 7);
  CHECK(after.configuration == before.configuration);
  CHECK(after.outcome == Outcome::ok);
  REQUIRE(after.measurement);
  const Measurement &a = *before.measurement, &b = *after.measurement;
  REQUIRE(b.samples.size() == 2);
  CHECK(b.samples[0].seconds == a.samples[0].seconds);
  CHECK(b.samples[1].cpu_share == 0.5);
  CHECK(b.samples[1].switches == 3);
  CHECK(b.repeats == 12);
  CHECK(b.seconds == a.seconds);
  CHECK(b.best == a.best);
  CHECK(b.median == a.median);
  CHECK(b.disturbed);
  CHECK(b.prepare_seconds == 0.5);
  CHECK(b.max_error == 1e-15);
  CHECK(after.cost.build == 1);
  CHECK(after.cost.validate == 2);
  CHECK(after.cost.time == 3);
  CHECK(after.cost.total == 6.5);
  CHECK(after.artefact == "abc");
  CHECK(after.started == before.started);
  CHECK(after.ok());
}

TEST_CASE("a failure comes back with its detail and without a measurement") {
  Trial before = measured();
  before.outcome = Outcome::build_failed;
  before.detail = "openmp.cpp:3: error: \"x\"\nwas not declared";
  before.measurement.reset();
  const Trial after = decoded<Trial>(parse_json(encode(before).dump(), "r"), "r");
  CHECK(after.outcome == Outcome::build_failed);
  CHECK(after.detail == before.detail);
  CHECK_FALSE(after.measurement);
  CHECK_FALSE(after.ok());
}

TEST_CASE("an infinite or undefined error survives JSON, which has no word for it") {
  Trial before = measured();
  before.outcome = Outcome::wrong_result;
  before.measurement->max_error = std::numeric_limits<double>::infinity();
  CHECK(std::isinf(
      decoded<Trial>(parse_json(encode(before).dump(), "r"), "r").measurement->max_error));
  before.measurement->max_error = std::nan("");
  CHECK(std::isnan(
      decoded<Trial>(parse_json(encode(before).dump(), "r"), "r").measurement->max_error));
}

TEST_CASE("faults of a recorded trial are named") {
  const Json good = encode(measured());
  CHECK(fault_of(good).empty());
  const auto with = [&](const char* pointer, Json value) {
    Json json = good;
    json[Json::json_pointer(pointer)] = std::move(value);
    return fault_of(json);
  };
  using Catch::Contains;
  CHECK_THAT(with("/outcome", "fine"), Contains("/outcome"));
  CHECK_THAT(with("/index", -1), Contains("/index"));
  CHECK_THAT(with("/measurement/samples", "x"), Contains("samples"));
  CHECK_THAT(with("/measurement/samples/0", Json::array({1, 2})), Contains("samples"));
  CHECK_THAT(with("/measurement/seconds/low", 1), Contains("interval"));
  CHECK_THAT(with("/measurement/seconds/low", -1), Contains("positive"));
  CHECK_THAT(with("/measurment", 1), Contains("measurment"));
  Json bare = good;
  bare.erase("measurement");
  CHECK_THAT(fault_of(bare), Contains("measurement"));
}

TEST_CASE("costs add up") {
  Cost cost{1, 2, 3, 4};
  cost += {10, 20, 30, 40};
  CHECK(cost.build == 11);
  CHECK(cost.validate == 22);
  CHECK(cost.time == 33);
  CHECK(cost.total == 44);
}
