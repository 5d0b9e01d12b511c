// Compared studies as a page, and tables of pages for papers.
#include <fmt/format.h>

#include <algorithm>

#include "core/version.h"
#include "report/compare_resources.h"
#include "report/comparison.h"
#include "report/figures.h"
#include "report/html.h"
#include "report/page.h"
#include "report/roofline_view.h"
#include "report/sentences.h"
#include "report/study_evidence.h"
#include "report/study_resources.h"

namespace rooftune::report {
namespace {

std::string percent(double share) { return significant(100 * share, 3) + " %"; }

/// Data of the script's chart and texts: compare.js.
Json comparison_view(const std::vector<StudyResult>& studies, const Comparison& comparison) {
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
  }
  const RooflineView all = common_views(studies).front();
  return {{"unit", all.unit},
          {"colours", study_colours},
          {"span", {all.x_low, all.x_high, all.y_low, all.y_high}},
          {"studies", charts}};
}

using PaperRow = std::vector<std::string>;

std::string in_markdown(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("\\|*_`[]<>").find(c) != std::string_view::npos) result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

/// The first column holds names, the others figures.
std::string table_text(const std::vector<PaperRow>& rows) {
  std::string text;
  for (const PaperRow& row : rows) {
    for (const std::string& cell : row) text += "| " + in_markdown(cell) + " ";
    text += "|\n";
    if (&row != &rows.front()) continue;
    text += "| --- ";
    for (std::size_t c = 1; c < row.size(); ++c) text += "| ---: ";
    text += "|\n";
  }
  return text;
}

/// The texts of the first columns of a page's table.
std::vector<PaperRow> paper_rows(const HtmlTable& table, const std::string& subject,
                                 std::size_t columns) {
  std::vector<PaperRow> rows;
  const auto add = [&](const std::vector<HtmlCell>& cells) {
    PaperRow& row = rows.emplace_back();
    for (std::size_t i = 0; i < columns; ++i) row.push_back(cells[i].text);
  };
  add(table.head);
  rows.front().front() = subject;
  for (const auto& cells : table.rows) add(cells);
  return rows;
}

}  // namespace

HtmlTable compared_table(const std::vector<StudyResult>& studies, const Comparison& comparison) {
  HtmlTable table{.head = {{"study"},
                           number_head("best"),
                           number_head("bound"),
                           number_head("of the limit"),
                           number_head("faster than baseline"),
                           number_head("common one takes"),
                           {"limited by"},
                           {"best has"}},
                  .sortable = true};
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
         one.efficiency ? number_cell(*one.efficiency, percent(*one.efficiency)) : none,
         study.speedup ? number_cell(study.speedup->value, ratio_interval(*study.speedup)) : none,
         one.loss ? number_cell(*one.loss, ratio_text(*one.loss)) : none,
         {study.bound.ceiling, "w"},
         {study.best ? changed_knobs(study, study.best->configuration) : "", "w", "", true}});
  }
  return table;
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
  html_table(page, compared_table(studies, comparison));
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

std::string paper_table(const StudyResult& study) {
  const Performance speed = performance(study.roofline.work);
  std::vector<PaperRow> rows = paper_rows(contenders_table(study), study.identity.kernel, 7);
  if (study.bound.known())
    rows.push_back({"bound", seconds_text(study.bound.time.value()),
                    rate_text(speed.rate(study.bound.time.value()), speed.unit), "1", "1", "1",
                    "1"});
  return table_text(rows);
}

std::string paper_table(const std::vector<StudyResult>& studies, const Comparison& comparison) {
  return table_text(
      paper_rows(compared_table(studies, comparison), studies.front().identity.kernel, 6));
}

}  // namespace rooftune::report
