// Whatever a study holds, its reports are documents: well-formed, without NaN, no line too wide, no
// label outside its picture, and two runs give the same text.
#include <catch2/catch.hpp>
#include <cmath>
#include <regex>
#include <sstream>

#include "report/answer.h"
#include "report/charts.h"
#include "report/convergence.h"
#include "report/roofline_view.h"
#include "report/study_page.h"
#include "report/terminal.h"
#include "report/text_table.h"
#include "support/sample_report.h"
#include "support/xml_check.h"

using namespace rooftune;

namespace {

template <class T>
void keep_some(std::vector<T>& all, Rng& rng) {
  std::vector<T> kept;
  const std::uint64_t share = rng.below(4);
  for (const T& one : all)
    if (rng.below(4) <= share) kept.push_back(one);
  all = kept;
}

void scale_times(StudyResult& report, double factor) {
  const auto scale = [&](Estimate& e) { e = {e.value * factor, e.low * factor, e.high * factor}; };
  for (Trial& trial : report.trials)
    if (trial.measurement) scale(trial.measurement->seconds);
  if (report.staircase)
    for (Stair& stair : report.staircase->stairs)
      if (stair.seconds) scale(*stair.seconds);
  for (Contender& tie : report.ties) scale(tie.seconds);
  if (report.best) scale(report.best->seconds);
  if (report.baseline) scale(report.baseline->seconds);
}

/// Another study for every seed: parts missing, times from ns to hours, no flops, no traffic, no
/// ceilings.
StudyResult arbitrary(std::uint64_t seed) {
  Rng rng(seed, 0);
  StudyResult report = sample::report();
  if (rng.below(2)) keep_some(report.roofline.machine.ceilings, rng);
  if (rng.below(4) == 0) report.roofline.machine.ceilings.clear();
  if (rng.below(3) == 0) keep_some(report.ledger, rng);
  if (rng.below(3) == 0) report.roofline.work.least.clear();
  if (rng.below(3) == 0) report.roofline.work.nominal = Flops(0);
  if (rng.below(3) == 0) report.roofline.work.items = 0;
  if (rng.below(4) == 0) report.roofline.traffic = {};
  if (rng.below(5) == 0) report.bound = {};
  if (rng.below(5) == 0) report.best.reset();
  if (rng.below(5) == 0) report.baseline.reset();
  if (rng.below(3) == 0) report.speedup.reset();
  if (rng.below(4) == 0) report.staircase.reset();
  if (rng.below(4) == 0) report.limit.reset();
  if (rng.below(6) == 0) report.trials.clear();
  if (rng.below(6) == 0) report.roofline.threads = 1;
  if (rng.below(2)) scale_times(report, std::pow(10.0, 12 * rng.unit() - 6));
  return report;
}

int widest(const std::string& text) {
  std::istringstream lines(text);
  int most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, columns_of(line));
  return most;
}

void check_svg(const std::string& svg, double width, double height) {
  CHECK(sample::xml_fault(svg) == "");
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(svg.find("inf") == std::string::npos);
  static const std::regex place("<text x=\"(-?[0-9.]+)\" y=\"(-?[0-9.]+)\"");
  for (std::sregex_iterator at(svg.begin(), svg.end(), place), end; at != end; ++at) {
    const double x = std::stod((*at)[1]), y = std::stod((*at)[2]);
    INFO(at->str());
    CHECK(x >= 0);
    CHECK(x <= width);
    CHECK(y >= 0);
    CHECK(y <= height);
  }
}

}  // namespace

TEST_CASE("every study gives documents") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    INFO("seed " << seed);
    const StudyResult report = arbitrary(seed);
    check_svg(study_svg(report), 1180, 2000);
    check_svg(svg_document(convergence(report)), 1180, 320);
    check_svg(machine_svg(report.roofline.machine), 1180, 760);
    CHECK(sample::xml_fault(study_page(report)) == "");
    CHECK_FALSE(to_json(report).dump().empty());
    TerminalStyle style;
    style.width = 40 + static_cast<int>(Rng(seed, 1).below(120));
    style.unicode = seed % 2 == 0;
    CHECK(widest(terminal_summary(report, style)) <= style.width);
    CHECK(widest(terminal_details(report, style)) <= style.width);
    CHECK(study_page(report) == study_page(arbitrary(seed)));
  }
}

TEST_CASE("axes always span a positive range that holds the points") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    const RooflineView view = roofline_view(arbitrary(seed));
    CHECK(view.x_low > 0);
    CHECK(view.y_low > 0);
    CHECK(view.x_low < view.x_high);
    CHECK(view.y_low < view.y_high);
    CHECK(std::isfinite(view.x_high));
    CHECK(std::isfinite(view.y_high));
    std::vector<RooflinePoint> points = view.stairs;
    if (view.bound) points.push_back(*view.bound);
    for (const RooflinePoint& p : points) {
      CHECK(p.y >= view.y_low);
      CHECK(p.y <= view.y_high);
      CHECK(p.x >= view.x_low);
      CHECK(p.x <= view.x_high);
    }
  }
}
