// A program's figure that is no time stands in its unit and with its direction, everywhere.
#include <catch2/catch.hpp>

#include "report/answer.h"
#include "report/convergence.h"
#include "report/figures.h"
#include "report/progress_line.h"
#include "report/study_evidence.h"
#include "report/study_page.h"
#include "report/study_tables.h"
#include "report/terminal.h"
#include "support/sample_report.h"

using namespace rooftune;
using Catch::Contains;

namespace {

/// The sample with its times as rates of points.
StudyResult rated() {
  StudyResult result = sample::report();
  result.own_figure = OwnFigure{"points", true, 2};
  return result;
}

}  // namespace

TEST_CASE("a figure is read back from the time that stands for it, with its interval") {
  const OwnFigure more{"points", true, 2}, less{"J", false, 1000};
  CHECK(more.of(0.5) == 4);
  CHECK(more.of(Estimate{0.5, 0.25, 1}) == Estimate{4, 2, 8});
  CHECK(less.of(Estimate{0.5, 0.25, 1}) == Estimate{500, 250, 1000});
  CHECK(figure_interval(more, {0.5, 0.25, 1}) == "4.000 points [2.000, 8.000]");
  CHECK(figure_text(OwnFigure{"", false, 1}, 0.125) == "0.1250");
  CHECK(figure_text({}, 0.125) == seconds_text(0.125));
  CHECK(figure_name(more) == "points, more is better");
  CHECK(figure_name(OwnFigure{"", false, 1}) == "figure, less is better");
  CHECK(figure_name({}) == "time per call");
}

TEST_CASE("trade-offs are the trials that no other beats in the metric and in all goals") {
  StudyResult result = sample::report();
  const std::size_t shown = result.trials.size();
  REQUIRE(shown >= 3);
  CHECK(trade_offs(result).empty());
  result.goals = {{"accuracy", true}};
  CHECK(trade_offs(result).empty());
  std::vector<Trial*> measured;
  for (Trial& trial : result.trials)
    if (trial.ok()) measured.push_back(&trial);
  REQUIRE(measured.size() >= 3);
  const auto set = [&](std::size_t i, double seconds, double accuracy) {
    measured[i]->measurement->seconds = {seconds, seconds, seconds};
    measured[i]->measurement->figures["accuracy"] = accuracy;
  };
  set(0, 1, 0.5);
  set(1, 2, 0.4);
  set(2, 3, 0.9);
  CHECK(trade_offs(result) == std::vector<const Trial*>{measured[0], measured[2]});
  CHECK_THAT(study_page(result), Contains("accuracy, more is better"));
  CHECK_THAT(terminal_summary(result, {}), Contains("trade-off"));
  result.goals["accuracy"] = false;
  CHECK(trade_offs(result) == std::vector<const Trial*>{measured[0], measured[1]});
}

TEST_CASE("answer, chart, page and progress show a program's own figure") {
  const StudyResult result = rated();
  TerminalStyle style;
  style.width = 100;
  const std::string best =
      figure_interval(result.own_figure, *result.staircase->stairs.back().seconds);
  const std::string answer = terminal_summary(result, style);
  CHECK(claims(result).front().figures.at("time").unit == "points");
  CHECK_THAT(answer, Contains("points, more is better") &&
                         Contains(figure_text(result.own_figure, result.best->seconds.value)));
  CHECK_THAT(answer, !Contains("time per call"));
  CHECK_THAT(svg_document(convergence(result)), Contains("points, more is better") &&
                                                    Contains(" points</text>") &&
                                                    !Contains("time per call"));
  const std::string page = study_page(result);
  CHECK_THAT(page, Contains(best));
  CHECK_THAT(page, Contains("\"own_figure\":{"));
  ProgressState state;
  state.incumbent = 0.5;
  state.own_figure = result.own_figure;
  CHECK_THAT(plain_progress(state), Contains("best 4.000 points"));
}
