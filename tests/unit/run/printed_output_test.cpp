// What programs print, held against the baseline's.
#include "run/printed_output.h"

#include <catch2/catch.hpp>

#include "support/workshop.h"

using namespace rooftune;
using namespace rooftune::run;
using Catch::Contains;

namespace {

Printed lines(std::vector<std::string> all) { return {std::move(all), {}}; }

struct Bench {
  Bench() { printed.learn(lines({"sum 15.7790203 nans 4000", "pid 11", "threads: 4"})); }
  std::string fault(std::vector<std::string> all, bool compared = true) const {
    return printed.fault(lines(std::move(all)), compared, space, space.baseline());
  }
  SearchSpace space = testing::space_with({testing::knob("threads", Knob::Kind::argument, {4, 8})});
  PrintedOutput printed;
};

}  // namespace

TEST_CASE("numbers that differ from the baseline's are a fault with their words") {
  Bench bench;
  bench.printed.learn(lines({"sum 15.7790203 nans 4000", "pid 12", "threads: 4"}));
  CHECK(bench.fault({"sum 15.7790204 nans 4000", "pid 99", "threads: 4"}).empty());
  CHECK_THAT(bench.fault({"sum 15.7758017 nans 0", "pid 99", "threads: 4"}),
             Contains("sum 15.7790203 -> 15.7758017, nans 4000 -> 0"));
  CHECK(bench.fault({"sum 15.7758017 nans 0", "pid 99", "threads: 4"}, false).empty());
  CHECK_THAT(bench.fault({"sum 15.7790203 nans 4000"}), Contains("1 lines instead of 3"));
  CHECK_THAT(bench.fault({"total 15.7790203 nans 4000", "pid 1", "threads: 4"}),
             Contains("sum -> total"));
}

TEST_CASE("values of knobs may be repeated, and nan has no sign") {
  const Bench bench;
  Configuration other = bench.space.baseline();
  other.set("threads", 8);
  const Printed run = lines({"sum 15.7790203 nans 4000", "pid 11", "threads: 8"});
  CHECK(bench.printed.fault(run, true, bench.space, other).empty());
  CHECK_THAT(bench.fault({"sum 15.7790203 nans 4000", "pid 11", "threads: 8"}),
             Contains("threads: 4 -> 8"));
  PrintedOutput nan;
  nan.learn(lines({"x -nan 1e-17"}));
  CHECK(nan.fault(lines({"x nan 3e-16"}), true, bench.space, bench.space.baseline()).empty());
}

TEST_CASE("a program whose runs print other numbers of lines is not compared") {
  Bench bench;
  bench.printed.learn(lines({"one"}));
  CHECK(bench.fault({"anything"}).empty());
}

TEST_CASE("a setting that the run-time refuses is a fault, unless the baseline has it") {
  const Bench bench;
  const auto none = [](const std::string&) { return false; };
  const Printed refused = printed(
      "\nlibgomp: Invalid value for environment variable OMP_PROC_BIND: cores\nsum 1\n", none);
  CHECK(refused.lines == std::vector<std::string>{"", "sum 1"});
  CHECK_THAT(bench.printed.fault(refused, false, bench.space, bench.space.baseline()),
             Contains("the program said: libgomp: Invalid value"));
  PrintedOutput same;
  same.learn(refused);
  CHECK(same.fault(refused, true, bench.space, bench.space.baseline()).empty());
}
