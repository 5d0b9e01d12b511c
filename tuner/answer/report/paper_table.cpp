#include <fmt/format.h>

#include "report/comparison.h"
#include "report/figures.h"
#include "report/study_evidence.h"

namespace rooftune::report {
namespace {

using PaperRow = std::vector<std::string>;

std::string in_latex(const std::string& text) {
  std::string result;
  for (const char c : text)
    if (c == '\\')
      result += "\\textbackslash{}";
    else if (c == '~' || c == '^')
      result += fmt::format("\\{}{{}}", c);
    else
      result += std::string_view("&%$#_{}").find(c) == std::string_view::npos
                    ? std::string(1, c)
                    : std::string("\\") + c;
  return result;
}

std::string in_markdown(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("\\|*_`[]<>").find(c) != std::string_view::npos) result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

/// The first column holds names, the others figures. LaTeX needs the package booktabs.
std::string table_text(const std::vector<PaperRow>& rows, TableForm form) {
  const bool latex = form == TableForm::latex;
  const std::size_t columns = rows.front().size();
  std::string text;
  if (latex) text = "\\begin{tabular}{l" + std::string(columns - 1, 'r') + "}\n\\toprule\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string line;
    for (const std::string& cell : rows[i])
      line += latex ? (line.empty() ? "" : " & ") + in_latex(cell) : "| " + in_markdown(cell) + " ";
    text += line + (latex ? " \\\\\n" : "|\n");
    if (i > 0) continue;
    if (latex) {
      text += "\\midrule\n";
      continue;
    }
    text += "| --- ";
    for (std::size_t c = 1; c < columns; ++c) text += "| ---: ";
    text += "|\n";
  }
  return latex ? text + "\\bottomrule\n\\end{tabular}\n" : text;
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

std::string paper_table(const StudyResult& study, TableForm form) {
  const Performance speed = performance(study.roofline.work);
  std::vector<PaperRow> rows = paper_rows(contenders_table(study), study.identity.kernel, 7);
  if (study.bound.known())
    rows.push_back({"bound", seconds_text(study.bound.time.value()),
                    rate_text(speed.rate(study.bound.time.value()), speed.unit), "1", "1", "1",
                    "1"});
  return table_text(rows, form);
}

std::string paper_table(const std::vector<StudyResult>& studies, const Comparison& comparison,
                        TableForm form) {
  return table_text(
      paper_rows(compared_table(studies, comparison), studies.front().identity.kernel, 6), form);
}

}  // namespace rooftune::report
