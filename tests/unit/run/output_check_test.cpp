// Conditions on what a program prints.
#include <catch2/catch.hpp>

#include "run/metric.h"

using namespace rooftune;
using Catch::Contains;

namespace {

Program checked(const std::string& check, const std::map<std::string, std::string>& figures = {}) {
  Program program;
  program.check = check;
  program.figures = figures;
  return program;
}

/// Why a run that takes `wall` seconds is wrong.
std::string fault_in(const Program& program, const std::string& output, double wall = 1) {
  try {
    return OutputCheck(program).fault(output, ProgramFigures(program).read(output, wall));
  } catch (const Error& error) {
    return error.message();
  }
}

std::string check_fault(const Program& program) {
  try {
    const OutputCheck check(program);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a condition holds for the figures of a run, or says which values it saw") {
  const Program check =
      checked("accuracy >= 0.99 and 2 * memory < 1e9 and wall < 10",
              {{"accuracy", "regex:accuracy: (\\S+)"}, {"memory", "min:json:/memory"}});
  CHECK(fault_in(check, "accuracy: 0.5\naccuracy: 9.95D-01\n{\"memory\": 3}\n").empty());
  CHECK_THAT(fault_in(check, "accuracy: 0.98\n{\"memory\": 3}\n"),
             Contains("does not hold: accuracy = 0.98, memory = 3, wall = 1"));
  CHECK_FALSE(fault_in(check, "accuracy: nan\n{\"memory\": 3}\n").empty());
  CHECK_FALSE(fault_in(check, "accuracy: 1\n{\"memory\": 3}\n", 11).empty());
  CHECK_THAT(fault_in(check, "accuracy: 1\n"), Contains("no figure memory"));
  CHECK_THAT(fault_in(check, "accuracy: good\n"), Contains("accuracy is no number"));
  const Program in_units = checked("latency < 0.002", {{"latency", "regex:latency (\\S+)"}});
  CHECK(fault_in(in_units, "latency 1.5ms").empty());
  CHECK_FALSE(fault_in(in_units, "latency 1.5s").empty());
}

TEST_CASE("a pattern is found in a line, and no check holds always") {
  CHECK(fault_in(checked("regex:^fine$"), "a\nfine\n").empty());
  CHECK_THAT(fault_in(checked("regex:^fine$"), "a\n"), Contains("regex:^fine$"));
  CHECK(fault_in(checked(""), "").empty());
  CHECK(fault_in(checked("command:./check"), "").empty());
}

TEST_CASE("mistakes in a condition are named with their cure") {
  CHECK_THAT(check_fault(checked("accuracy >= 0.99")),
             Contains("--check") && Contains("--metric 'accuracy=regex:"));
  CHECK_THAT(check_fault(checked("accuracy >=", {{"accuracy", "regex:(.)"}})), Contains("--check"));
  CHECK_THAT(check_fault(checked("rgex:fine")), Contains("unknown check"));
  CHECK_THAT(check_fault(checked("", {{"wall", "regex:(.)"}})), Contains("no name for a figure"));
  CHECK_THAT(check_fault(checked("a > 1", {{"a", "regex:x"}})), Contains("--metric a"));
}
