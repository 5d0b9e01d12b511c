#include "report/paper_table.h"

#include <fmt/format.h>

#include "report/figures.h"

namespace rooftune::report {
namespace {

using PaperRow = std::vector<std::string>;

std::string in_latex(const std::string& text) {
  std::string result;
  for (const char c : text) switch (c) {
      case '\\':
        result += "\\textbackslash{}";
        break;
      case '~':
      case '^':
        result += fmt::format("\\{}{{}}", c);
        break;
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        result += '\\';
        [[fallthrough]];
      default:
        result += c;
    }
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

std::string share_text(const std::optional<double>& share) {
  return share ? significant(100 * *share, 3) + " %" : "-";
}

}  // namespace

std::string paper_table(const StudyResult& study, TableForm form) {
  const Performance speed = performance(study.roofline.work);
  std::vector<PaperRow> rows{
      {study.identity.kernel, "time per call", "speed", "gap", "work", "traffic", "rate"}};
  const auto add = [&](const char* name, const Contender& one) {
    const auto factor = [](const std::optional<double>& value) {
      return value ? significant(*value, 3) : std::string("unknown");
    };
    rows.push_back({name, seconds_interval(one.seconds),
                    rate_text(speed.rate(one.seconds.value), speed.unit),
                    study.bound.known() ? ratio_interval(one.gap.total) : "unknown",
                    factor(one.gap.work), factor(one.gap.traffic), factor(one.gap.rate)});
  };
  if (study.baseline) add("baseline", *study.baseline);
  if (study.best) add("best", *study.best);
  for (const Contender& tie : study.ties) add("tie", tie);
  if (study.bound.known())
    rows.push_back({"bound", seconds_text(study.bound.time.value()),
                    rate_text(speed.rate(study.bound.time.value()), speed.unit), "1", "1", "1",
                    "1"});
  return table_text(rows, form);
}

std::string paper_table(const std::vector<StudyResult>& studies, const Comparison& comparison,
                        TableForm form) {
  std::vector<PaperRow> rows{{studies.front().identity.kernel, "best", "bound", "of the limit",
                              "faster than baseline", "common one takes"}};
  for (std::size_t i = 0; i < studies.size(); ++i) {
    const StudyResult& study = studies[i];
    const ComparedStudy& one = comparison.studies[i];
    rows.push_back({one.name, study.best ? seconds_interval(study.best->seconds) : "-",
                    study.bound.known() ? seconds_text(study.bound.time.value()) : "-",
                    share_text(one.efficiency),
                    study.speedup ? ratio_interval(*study.speedup) : "-",
                    one.loss ? ratio_text(*one.loss) : "-"});
  }
  return table_text(rows, form);
}

}  // namespace rooftune::report
