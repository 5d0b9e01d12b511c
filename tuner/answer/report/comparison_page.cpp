// The page and the chart of compared studies.
#include <fmt/format.h>

#include <algorithm>

#include "core/version.h"
#include "report/compare_resources.h"
#include "report/comparison.h"
#include "report/figures.h"
#include "report/html.h"
#include "report/palette.h"
#include "report/roofline_lines.h"
#include "report/sentences.h"
#include "report/study_resources.h"
#include "report/study_view.h"
#include "report/svg.h"

namespace rooftune::report {
namespace {

constexpr ChartFrame compared_frame{
    .height = 560, .left = 74, .top = 30, .right = chart_width - 330, .bottom = 484};

std::string study_class(std::size_t number) {
  return fmt::format("study-{}", number % study_colours);
}

/// The first, with axes wide enough for all.
RooflineView common_view(const std::vector<RooflineView>& views) {
  RooflineView all = views.front();
  for (const RooflineView& one : views) {
    all.x_low = std::min(all.x_low, one.x_low);
    all.x_high = std::max(all.x_high, one.x_high);
    all.y_low = std::min(all.y_low, one.y_low);
    all.y_high = std::max(all.y_high, one.y_high);
  }
  return all;
}

std::string percent(double share) { return significant(100 * share, 3) + " %"; }

void draw_study(Markup& svg, const LogPanel& panel, const RooflineView& view,
                const std::string& classes, const std::string& name) {
  for (const RooflineLine& line : view.lines) {
    if (!line.binding && !(line.roof && !line.diagonal)) continue;
    const LineSpan span = line_span(line, view);
    if (span.visible())
      svg_line(svg, panel.x(span.x1), panel.y(span.y1), panel.x(span.x2), panel.y(span.y2),
               classes + "-line", line.binding ? 2.4 : 1.2, line.binding ? "" : "6 4",
               fmt::format("{}: {}", name, line.hover));
  }
  const auto mark = [&](Marker marker, const std::optional<RooflinePoint>& point, double radius) {
    if (!point) return;
    const double x = panel.x(point->x);
    svg_error_bar(svg, x, panel.y(point->low), panel.y(point->high), classes + "-line");
    svg_marker(svg, marker, x, panel.y(point->y), radius, classes,
               fmt::format("{}: {} {}", name, point->label, rate_text(point->y, view.unit)));
  };
  mark(Marker::square, view.baseline, 5);
  mark(Marker::star, view.best, 9);
}

HtmlCell percent_cell(const std::optional<double>& share) {
  return share ? number_cell(*share, percent(*share)) : HtmlCell{"-", "n"};
}

/// Data of the script's chart and texts: compare.js.
Json comparison_view(const std::vector<StudyResult>& studies, const Comparison& comparison) {
  std::vector<RooflineView> views;
  Json charts = Json::array();
  for (std::size_t i = 0; i < studies.size(); ++i) {
    const StudyResult& study = studies[i];
    const ComparedStudy& one = comparison.studies[i];
    std::vector<std::string> text{one.name};
    if (study.best) text.push_back("best " + seconds_interval(study.best->seconds));
    if (one.efficiency)
      text.push_back(
          fmt::format("{} of the limit by {}", percent(*one.efficiency), study.bound.ceiling));
    if (study.speedup) text.push_back(ratio_interval(*study.speedup) + " faster than its baseline");
    charts.push_back({{"name", one.name},
                      {"text", fmt::format("{}", fmt::join(text, "\n"))},
                      {"chart", chart_view(study)}});
    views.push_back(roofline_view(study));
  }
  const RooflineView all = common_view(views);
  return {{"unit", all.unit},
          {"colours", study_colours},
          {"span", {all.x_low, all.x_high, all.y_low, all.y_high}},
          {"studies", charts}};
}

void compared_table(Markup& page, const std::vector<StudyResult>& studies,
                    const Comparison& comparison) {
  HtmlTable table;
  table.sortable = true;
  table.head = {{"study"},
                {"best", "n"},
                {"bound", "n"},
                {"of the limit", "n"},
                {"faster than baseline", "n"},
                {"common one takes", "n"},
                {"limited by"},
                {"best has"}};
  for (std::size_t i = 0; i < studies.size(); ++i) {
    const StudyResult& study = studies[i];
    const ComparedStudy& one = comparison.studies[i];
    const HtmlCell none{"-", "n"};
    table.rows.push_back(
        {{one.name},
         study.best ? number_cell(study.best->seconds.value, seconds_interval(study.best->seconds))
                    : none,
         study.bound.known()
             ? number_cell(study.bound.time.value(), seconds_text(study.bound.time.value()))
             : none,
         percent_cell(one.efficiency),
         study.speedup ? number_cell(study.speedup->value, ratio_interval(*study.speedup)) : none,
         one.loss ? number_cell(*one.loss, ratio_text(*one.loss)) : none,
         {study.bound.ceiling, "w"},
         {study.best ? changed_knobs(study, study.best->configuration) : "", "w", "", true}});
  }
  html_table(page, table);
}

}  // namespace

std::string comparison_svg(const std::vector<StudyResult>& studies, const Comparison& comparison) {
  std::vector<RooflineView> views;
  for (const StudyResult& study : studies) views.push_back(roofline_view(study));
  const RooflineView all = common_view(views);
  const auto& [height, left, top, right, bottom] = compared_frame;
  const LogPanel panel{left,
                       top,
                       right,
                       bottom,
                       LogScale(all.x_low, all.x_high, left, right),
                       LogScale(all.y_low, all.y_high, bottom, top)};
  const std::string unit = views.front().unit;
  const AxisUnit scale = axis_unit(all.y_high / 30, unit);
  Markup svg;
  svg_begin(svg, chart_width, height, "Rooflines of studies of " + studies.front().identity.kernel,
            fmt::format("{}", fmt::join(comparison_sentences(studies, comparison), ". ")));
  svg_axes(svg, panel, 1, fmt::format("intensity at each one's own level [{}/B]", unit),
           scale.factor, "performance [" + scale.text + "]");
  for (std::size_t i = 0; i < views.size(); ++i) {
    // Lines end where the chart does, not where their own study's would.
    const RooflineView view = common_view({views[i], all});
    draw_study(svg, panel, view, study_class(i), comparison.studies[i].name);
    const double y = top + 14 + 20 * static_cast<double>(i);
    if (y > bottom) continue;
    svg_marker(svg, Marker::star, right + 22, y - 4, 7, study_class(i));
    svg_text(svg, right + 34, y, elided(comparison.studies[i].name, chart_width - right - 40, 12),
             {"rt-ink", 12});
  }
  svg_text(svg, left, height - 10,
           "star: best, square: baseline, line: the ceiling that binds, dashes: in-core roof",
           {"rt-soft", 11});
  return svg_end(svg);
}

std::string comparison_page(const std::vector<StudyResult>& studies, const Comparison& comparison,
                            const std::string& date) {
  const std::string title =
      fmt::format("{} in {} studies", studies.front().identity.kernel, studies.size());
  const bool charted = std::all_of(studies.begin(), studies.end(),
                                   [](const StudyResult& study) { return study.bound.known(); });
  PageExtras extras{{study_style, study_style_hash}};
  if (charted) extras.script = {compare_script, compare_script_hash};
  Markup page;
  html_begin(page, title, extras);
  page.element("h1", {}, title).newline();
  for (const std::string& sentence : comparison_sentences(studies, comparison))
    html_paragraph(page, sentence + ".");
  if (charted) {
    page.open("div", {{"id", "chart"}});
    html_figure(page, comparison_svg(studies, comparison));
    page.close().newline();
  }
  page.open("div", {{"id", "studies"}});
  compared_table(page, studies, comparison);
  page.close().newline();
  if (comparison.common)
    html_paragraph(page, "The common configuration: " + comparison.common->key() + ".", "sub");
  if (charted)
    page.open("script", {{"type", "application/json"}, {"id", "data"}})
        .raw(embedded(comparison_view(studies, comparison)))
        .close()
        .newline();
  return html_end(page, version, date, extras);
}

}  // namespace rooftune::report
