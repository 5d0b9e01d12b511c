// Counts and contradictions as a reader meets them: terminal, page, chart and JSON.
#include <catch2/catch.hpp>

#include "report/answer.h"
#include "report/study_page.h"
#include "report/terminal.h"
#include "support/sample_report.h"

using namespace rooftune;
using Catch::Contains;

namespace {

Counts counted(double bytes, double executed) {
  Counts counts;
  counts.provider = "instrumented";
  counts.operations["fp64"]["fma"] = Estimate::exact(executed / 2);
  counts.operations_source = {Source::Kind::instrumented, "one by one", {}};
  counts.traffic["DRAM"] = {
      Estimate::exact(bytes), Estimate::exact(4e6), {Source::Kind::modelled, "a model", {}}};
  return counts;
}

/// Best and baseline counted.
StudyResult example_report() {
  StudyResult all = sample::report();
  all.best->counts = counted(1.1e8, 1e7);
  all.baseline->counts = counted(1.5e8, 1e7);
  all.flags = {"best: a call took too little: somebody miscounted"};
  return all;
}

TerminalStyle wide() {
  TerminalStyle style;
  style.width = 120;
  return style;
}

}  // namespace

TEST_CASE("answer, page and JSON show every flag") {
  const StudyResult all = example_report();
  CHECK(doubts(claims(all)) == all.flags);
  CHECK_THAT(study_page(all),
             Contains("Contradiction. best: a call took too little: somebody miscounted."));
  CHECK(to_json(all).at("flags").at(0) == all.flags[0]);
  CHECK(terminal_details(sample::report(), wide()).find("  flag ") == std::string::npos);
}
