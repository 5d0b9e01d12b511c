// What programs print, held against the baseline's.
#include "run/printed_output.h"

#include <catch2/catch.hpp>

#include "support/workshop.h"

using namespace rooftune;
using namespace rooftune::run;
using Catch::Contains;

namespace {

Printed lines(std::vector<std::string> all) { return {std::move(all), {}}; }

struct Printer {
  Printer() { printed.learn(lines({"sum 15.7790203 nans 4000", "pid 11", "threads: 4"})); }
  std::string fault(std::vector<std::string> all, bool compared = true) const {
    return printed.fault(lines(std::move(all)), compared, space, space.baseline());
  }
  SearchSpace space = testing::space_with({testing::knob("threads", Knob::Kind::argument, {4, 8})});
  PrintedOutput printed;
};

}  // namespace

TEST_CASE("numbers that differ from the baseline's are a fault with their words") {
  Printer printer;
  printer.printed.learn(lines({"sum 15.7790203 nans 4000", "pid 12", "threads: 4"}));
  CHECK(printer.fault({"sum 15.7790204 nans 4000", "pid 99", "threads: 4"}).empty());
  CHECK_THAT(printer.fault({"sum 15.7758017 nans 0", "pid 99", "threads: 4"}),
             Contains("sum 15.7790203 -> 15.7758017, nans 4000 -> 0"));
  CHECK(printer.fault({"sum 15.7758017 nans 0", "pid 99", "threads: 4"}, false).empty());
  CHECK_THAT(printer.fault({"sum 15.7790203 nans 4000"}), Contains("1 lines instead of 3"));
  CHECK_THAT(printer.fault({"total 15.7790203 nans 4000", "pid 1", "threads: 4"}),
             Contains("sum -> total"));
}

TEST_CASE("values of knobs may be repeated, and nan has no sign") {
  const Printer printer;
  Configuration other = printer.space.baseline();
  other.set("threads", 8);
  const Printed run = lines({"sum 15.7790203 nans 4000", "pid 11", "threads: 8"});
  CHECK(printer.printed.fault(run, true, printer.space, other).empty());
  CHECK_THAT(printer.fault({"sum 15.7790203 nans 4000", "pid 11", "threads: 8"}),
             Contains("threads: 4 -> 8"));
  PrintedOutput nan;
  nan.learn(lines({"x -nan 1e-17"}));
  CHECK(nan.fault(lines({"x nan 3e-16"}), true, printer.space, printer.space.baseline()).empty());
}

TEST_CASE("a program whose runs print other numbers of lines is not compared") {
  Printer printer;
  printer.printed.learn(lines({"one"}));
  CHECK(printer.fault({"anything"}).empty());
}

TEST_CASE("a setting that the run-time refuses is a fault, unless the baseline has it") {
  const Printer printer;
  const auto none = [](const std::string&) { return false; };
  const Printed refused = printed(
      "\nlibgomp: Invalid value for environment variable OMP_PROC_BIND: cores\nsum 1\n", none);
  CHECK(refused.lines == std::vector<std::string>{"", "sum 1"});
  CHECK_THAT(printer.printed.fault(refused, false, printer.space, printer.space.baseline()),
             Contains("the program said: libgomp: Invalid value"));
  PrintedOutput same;
  same.learn(refused);
  CHECK(same.fault(refused, true, printer.space, printer.space.baseline()).empty());
}
