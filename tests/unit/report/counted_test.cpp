// Counts and contradictions as a reader meets them: terminal, page, chart and JSON.
#include <catch2/catch.hpp>

#include "report/answer.h"
#include "report/page.h"
#include "report/terminal.h"
#include "support/doubts.h"
#include "support/sample_report.h"

using namespace rooftune;
using Catch::Matchers::Contains;

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
  all.flags = {"best: rate factor below 1: somebody miscounted"};
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
  CHECK(sample::doubts_of(answer(all)) == all.flags);
  CHECK_THAT(study_page(all),
             Contains("Contradiction. best: rate factor below 1: somebody miscounted."));
  CHECK(to_json(all).at("flags").at(0) == all.flags[0]);
  CHECK(terminal_details(sample::report(), wide()).find("  flag ") == std::string::npos);
}

TEST_CASE("a promotion is told with its figures, whether the race confirmed it or not") {
  StudyResult all = sample::report();
  Challenger challenger;
  challenger.configuration = all.best->configuration;
  challenger.knob = "prefetch";
  challenger.factor = {0.9, 0.85, 0.95};
  all.promotions = {{challenger, true}, {challenger, false}};
  const std::string text = terminal_details(all, wide());
  CHECK_THAT(text, Contains("0.900x [0.850, 0.950] of its time with prefetch set back to 8"));
  CHECK_THAT(study_page(all), Contains("it is not the best of the final race"));
  const Json json = to_json(all);
  REQUIRE(json.at("promotions").size() == 2);
  CHECK(json.at("promotions").at(0).at("won") == true);
  CHECK(json.at("promotions").at(0).at("factor").at("high") == 0.95);
}
