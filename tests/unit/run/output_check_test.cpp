// Conditions on what a program prints.
#include "run/output_check.h"

#include <catch2/catch.hpp>

using namespace rooftune;
using Catch::Matchers::Contains;

namespace {

Program checked(const std::string& check, const std::map<std::string, std::string>& figures = {}) {
  Program program;
  program.check = check;
  program.figures = figures;
  return program;
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
  const OutputCheck check(
      checked("accuracy >= 0.99 and 2 * memory < 1e9 and wall < 10",
              {{"accuracy", "regex:accuracy: (\\S+)"}, {"memory", "json:/memory"}}));
  CHECK(check.fault("accuracy: 0.5\naccuracy: 9.95D-01\n{\"memory\": 3}\n", 1).empty());
  CHECK_THAT(check.fault("accuracy: 0.98\n{\"memory\": 3}\n", 1),
             Contains("does not hold") && Contains("accuracy = 0.98"));
  CHECK_FALSE(check.fault("accuracy: nan\n{\"memory\": 3}\n", 1).empty());
  CHECK_FALSE(check.fault("accuracy: 1\n{\"memory\": 3}\n", 11).empty());
  CHECK_THAT(check.fault("accuracy: 1\n", 1), Contains("no figure memory"));
  CHECK_THAT(check.fault("accuracy: good\n", 1), Contains("accuracy is no number"));
  const OutputCheck in_units(checked("latency < 0.002", {{"latency", "regex:latency (\\S+)"}}));
  CHECK(in_units.fault("latency 1.5ms", 1).empty());
  CHECK_FALSE(in_units.fault("latency 1.5s", 1).empty());
}

TEST_CASE("a pattern is found in a line, and no check holds always") {
  CHECK(OutputCheck(checked("regex:^fine$")).fault("a\nfine\n", 1).empty());
  CHECK_THAT(OutputCheck(checked("regex:^fine$")).fault("a\n", 1), Contains("regex:^fine$"));
  CHECK(OutputCheck(checked("")).fault("", 1).empty());
  CHECK(OutputCheck(checked("command:./check")).fault("", 1).empty());
}

TEST_CASE("mistakes in a condition are named with their cure") {
  CHECK_THAT(check_fault(checked("accuracy >= 0.99")),
             Contains("--check") && Contains("--figure 'accuracy=regex:"));
  CHECK_THAT(check_fault(checked("accuracy >=", {{"accuracy", "regex:(.)"}})), Contains("--check"));
  CHECK_THAT(check_fault(checked("rgex:fine")), Contains("unknown check"));
  CHECK_THAT(check_fault(checked("", {{"a", "regex:(.)"}})), Contains("nothing asks for"));
  CHECK_THAT(check_fault(checked("a > 1", {{"a", "regex:x"}})), Contains("--figure a"));
}
