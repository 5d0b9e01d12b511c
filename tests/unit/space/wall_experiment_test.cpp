#include "space/wall_experiment.h"

#include <catch2/catch.hpp>

#include "support/synthetic_study.h"

using namespace rooftune;

namespace {

SearchSpace stores() {
  return test::space_with(
      "stores", {test::knob("nt_store", {false, true}, false), test::knob("pad", {0, 8, 24}, 0)});
}

std::vector<WallExperimentSpec> read(const std::string& elements, const Facts& facts = {}) {
  return wall_experiments_from_json(
      parse_json("{\"experiments\": [" + elements + "]}", "space.json"), "space.json", stores(),
      facts);
}

std::string fault(const std::string& elements, const Facts& facts = {}) {
  try {
    read(elements, facts);
  } catch (const Error& error) {
    return std::string(error.what()) + " " + error.hint();
  }
  return {};
}

}  // namespace

TEST_CASE("a space declares what isolates a wall: a knob, a step of size, or nothing") {
  const auto all = read(
      R"({"wall": "write_allocate", "knob": "nt_store", "with": [false], "without": [true]},
         {"wall": "capacity", "problem": {"n": "=machine_l2_bytes // 32"}, "per": "n*steps"},
         {"wall": "conflict", "none": "one array"})",
      {{"n", 1000000}, {"steps", 4}, {"machine_l2_bytes", 65536}});
  REQUIRE(all.size() == 3);
  CHECK(all[0].with == std::vector<Value>{false});
  CHECK(all[0].without == std::vector<Value>{true});
  CHECK(all[1].problem.at("n") == Value(2048));
  CHECK(amount(all[1].per, {{"n", 2048}, {"steps", 4}}) == 8192);
  CHECK(all[2].none == "one array");
  CHECK(wall_experiments_from_json(parse_json("{}", "s"), "s", stores(), {}).empty());
}

TEST_CASE("what does not apply here says why instead") {
  const std::string rule =
      R"({"wall": "capacity", "problem": {"n": "=machine_l2_bytes"}, "per": "n",
          "applicable": {"if": "machine_l2_bytes > 0", "reason": "size unknown"}})";
  const auto none = read(rule, {{"n", 10}, {"machine_l2_bytes", 0}});
  CHECK(none.front().none == "size unknown");
  CHECK(none.front().problem.empty());
  CHECK(read(rule, {{"n", 10}, {"machine_l2_bytes", 5}}).front().none.empty());
}

TEST_CASE("faults of experiments are named with their place and a cure") {
  using Catch::Contains;
  CHECK_THAT(fault(R"({"wall": "write_alocate", "none": "x"})"),
             Contains("space.json: /experiments/0/wall") && Contains("write_allocate"));
  CHECK_THAT(fault(R"({"wall": "conflict", "knob": "pda", "with": [0], "without": [8]})"),
             Contains("/knob") && Contains("did you mean \"pad\"?"));
  CHECK_THAT(fault(R"({"wall": "conflict", "knob": "pad", "with": [0], "without": [9]})"),
             Contains("9 is no value of pad") && Contains("24"));
  CHECK_THAT(fault(R"({"wall": "conflict", "knob": "pad", "with": [0, 8], "without": [8]})"),
             Contains("8 stands on both sides"));
  CHECK_THAT(fault(R"({"wall": "conflict", "knob": "pad", "with": [0]})"), Contains("/without"));
  CHECK_THAT(fault(R"({"wall": "conflict"})"), Contains("what isolates the wall"));
  CHECK_THAT(fault(R"({"wall": "conflict", "none": "x", "knob": "pad", "with": [0],
                       "without": [8]})"),
             Contains("more than once"));
  CHECK_THAT(fault(R"({"wall": "conflict", "none": ""})"), Contains("no reason"));
  const Facts facts{{"n", 10}, {"machine_l2_bytes", 64}};
  CHECK_THAT(fault(R"({"wall": "capacity", "problem": {"m": 3}, "per": "n"})", facts),
             Contains("\"m\" is no parameter"));
  CHECK_THAT(
      fault(R"({"wall": "capacity", "problem": {"machine_l2_bytes": 3}, "per": "n"})", facts),
      Contains("no parameter of the problem"));
  CHECK_THAT(fault(R"({"wall": "capacity", "problem": {"n": "=l2"}, "per": "n"})", facts),
             Contains("/problem/n"));
  CHECK_THAT(fault(R"({"wall": "capacity", "problem": {"n": 3}, "per": "n - 10"})", facts),
             Contains("must give a number above 0"));
  CHECK_THAT(fault(R"({"wall": "capacity", "problem": {"n": 3}})", facts), Contains("/per"));
  CHECK_THAT(fault(R"({"wall": "capacity", "problem": {}, "per": "n"})", facts),
             Contains("sets no parameter"));
  CHECK_THAT(fault(R"({"wall": "conflict", "none": "x", "whit": 1})"), Contains("whit"));
}
