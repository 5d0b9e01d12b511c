#include "report/comparison.h"

#include <catch2/catch.hpp>

#include "report/trials_csv.h"
#include "support/sample_report.h"

using namespace rooftune;
using Catch::Contains;

namespace {

/// The same study on another computer, with another winner.
StudyResult elsewhere(double slower) {
  StudyResult study = sample::report();
  study.header.id = "elsewhere0123";
  study.header.machine_id = "f00df00df00d";
  study.best->configuration.set("prefetch", 0);
  study.best->seconds = study.best->seconds * slower;
  return study;
}

std::string compared(const StudyResult& first, const StudyResult& second) {
  return terminal_comparison(first, second, {.width = 100, .colour = false, .unicode = true});
}

}  // namespace

TEST_CASE("two studies stand beside each other with what differs, and nothing else") {
  const StudyResult here = sample::report();
  const std::string text = compared(here, elsewhere(2));
  CHECK_THAT(text, Contains("The best of " + here.header.id.substr(0, 8) + " is 2.00x [") &&
                       Contains("faster than that of elsewher. They were measured apart"));
  CHECK_THAT(text, Contains("\nmachine ") && Contains("f00df00d") && Contains("prefetch"));
  CHECK_THAT(text, !Contains("compiler ") && !Contains("\nthreads ") && !Contains("\nformat "));
  CHECK_THAT(text, Contains("\nalike "));
  CHECK_THAT(compared(elsewhere(2), here), Contains("The best of " + here.header.id.substr(0, 8)));
  size_t lines = 0;
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; ++at) ++lines;
  CHECK(lines < 45);
}

TEST_CASE("times are compared where they are of the same work and can be told apart") {
  const StudyResult here = sample::report();
  CHECK_THAT(compared(here, elsewhere(1.0001)), Contains("cannot be told apart"));
  StudyResult other = elsewhere(2);
  other.problem = {{"n", 7}};
  CHECK_THAT(compared(here, other), Contains("kernel or problem differ") && Contains("n=7"));
  other.best.reset();
  CHECK_THAT(compared(here, other), Contains("Nothing was measured in one of them"));
}

TEST_CASE("trials are a table that other programs read") {
  StudyResult study = sample::report();
  study.trials.resize(2);
  study.trials[1].outcome = Outcome::build_failed;
  study.trials[1].measurement.reset();
  study.trials[1].detail = "error: \"x\", here\nand there";
  const std::string text = trials_csv(study);
  CHECK_THAT(text, Catch::StartsWith("trial,outcome,seconds,low,high,build,validate,time,total,"
                                     "detail,format,index_bits"));
  CHECK_THAT(text, Contains(",build_failed,,,,0.62,0.11,0.35,1.1,\"error: \"\"x\"\", here\nand "
                            "there\","));
  CHECK_THAT(text, Contains(",ok,0."));
}
