// Counted samples and contradictions as a reader meets them: terminal, page, chart and JSON.
#include <catch2/catch.hpp>

#include "report/answer.h"
#include "report/chart.h"
#include "report/page.h"
#include "report/result_json.h"
#include "report/roofline_view.h"
#include "report/study_evidence.h"
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

/// Best, baseline and two others counted; the second of them moves three times the bytes.
StudyResult example_report() {
  StudyResult all = sample::report();
  all.best->counts = counted(1.1e8, 1e7);
  all.baseline->counts = counted(1.5e8, 1e7);
  for (const std::uint64_t index : {3u, 14u}) {
    Contender other = sample::contender(all, index);
    other.counts = counted(index == 3 ? 3.3e8 : 1.2e8, 2e7);
    other.gap.traffic = index == 3 ? 3.0 : 1.1;
    all.sample.push_back(other);
  }
  all.flags = {"best: rate factor below 1: somebody miscounted"};
  return all;
}

TerminalStyle wide() {
  TerminalStyle style;
  style.width = 120;
  return style;
}

}  // namespace

TEST_CASE("what was counted beside best and baseline is listed, fastest first") {
  const StudyResult all = example_report();
  const auto rows = sample_rows(all);
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].subject == "best");
  CHECK(rows[1].subject == "trial 14");
  CHECK(rows[2].subject == "trial 3");
  CHECK(rows[3].subject == "baseline");
  CHECK(rows[2].bytes->value == 3.34e8);
  CHECK(rows[2].flops->value == 2e7);
  CHECK(sample_rows(sample::report()).empty());
}

TEST_CASE("terminal, page and JSON show the sample and every flag") {
  const StudyResult all = example_report();
  const std::string text = terminal_details(all, wide());
  CHECK_THAT(text, Contains("work and traffic across the space"));
  CHECK_THAT(text, Contains("trial 14"));
  CHECK(sample::doubts_of(answer(all)) == all.flags);
  const std::string page = study_page(all);
  CHECK_THAT(page, Contains("Work and traffic across the space"));
  CHECK_THAT(page, Contains("Contradiction. best: rate factor below 1: somebody miscounted."));
  const Json json = to_json(all);
  CHECK(json.at("flags").at(0) == all.flags[0]);
  REQUIRE(json.at("sample").size() == 2);
  CHECK(json.at("sample").at(0).at("trial") == 3);
  CHECK(json.at("sample").at(0).at("gap").at("traffic") == 3.0);
  CHECK(json.at("sample").at(0).at("counts").at("provider") == "instrumented");
  const std::string without = terminal_details(sample::report(), wide());
  CHECK(without.find("across the space") == std::string::npos);
  CHECK(without.find("  flag ") == std::string::npos);
}

TEST_CASE("the sample stands in the charts at the intensity that was counted") {
  const StudyResult all = example_report();
  const RooflineView view = roofline_view(all);
  REQUIRE(view.sample.size() == 2);
  CHECK(view.sample[0].x == Approx(1e7 / 3.34e8));
  CHECK(view.sample[0].label == "trial 3");
  CHECK(view.sample[0].x >= view.x_low);
  CHECK_THAT(roofline_svg(all), Contains("trial 3 at its counted DRAM intensity"));
  CHECK_THAT(terminal_details(all, wide()),
             Contains("+: other configurations at their counted DRAM traffic"));
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
