#include "report/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "core/text.h"
#include "report/answer.h"
#include "report/figures.h"
#include "report/sentences.h"
#include "report/study_evidence.h"
#include "report/text_table.h"

namespace rooftune::report {
namespace {

/// "  name       text", wrapped; empty texts leave no line.
std::string item(const char* name, const std::string& text, const TerminalStyle& style) {
  if (text.empty()) return {};
  const std::string plain = paragraph(fmt::format("  {:<10} ", name), text, style.width);
  return "  " + inked(fmt::format("{:<10}", name), Ink::faint, style.colour) + plain.substr(12);
}

Ink ink_of(Answer::Verdict verdict) {
  switch (verdict) {
    case Answer::Verdict::faster:
      return Ink::green;
    case Answer::Verdict::baseline_best:
    case Answer::Verdict::undecided:
      return Ink::yellow;
    case Answer::Verdict::not_measured:
    case Answer::Verdict::above_the_roof:
      break;
  }
  return Ink::red;
}

/// The headline with a number beside each doubtful figure, and the reasons below it.
std::string headline_text(const Answer& answer, const TerminalStyle& style) {
  DoubtNotes doubts;
  std::string sentence, text;
  for (const Phrase& phrase : answer.headline)
    sentence += answer.joined(phrase) + doubts.marks(phrase.doubts);
  for (const std::string& line : wrapped(printable(sentence + "."), style.width))
    text += inked(line, ink_of(answer.verdict), style.colour) + '\n';
  return text + doubts.notes(style.width);
}

/// All inputs, and the one described below.
std::string inputs_text(const StudyResult& result, const TerminalStyle& style) {
  if (!result.inputs) return {};
  return '\n' +
         terminal_table(inputs_table(*result.inputs), style, 0, std::max(16, style.width / 4)) +
         '\n' + paragraph("  ", shown_input_sentence(*result.inputs), style.width);
}

bool shows_items(const StudyResult& result) {
  return result.roofline.work.items > 0 && performance(result.roofline.work).unit == flop_unit;
}

std::string times(const StudyResult& result, const TerminalStyle& style) {
  HtmlTable table = contenders_table(result, false);
  if (style.width >= 64)
    for (auto& row : table.rows) row[1].brief.clear();
  std::string text = table.rows.empty() ? "" : '\n' + terminal_table(table, style, 0, 60);
  if (!result.baseline && !result.no_baseline_because.empty())
    text += item("baseline", "not measured: " + result.no_baseline_because, style);
  if (const HtmlTable goals = trade_offs_table(result); goals.rows.size() > 1)
    text += '\n' + terminal_table(goals, style, 0, 60);
  return text;
}

std::string best_line(const StudyResult& result, const TerminalStyle& style) {
  if (!result.best || result.baseline_stands) return {};
  return item("best has", changed_knobs(result, result.best->configuration), style);
}

/// The rest about the bound, the gap and the best, not in the answer.
std::string explanation(const StudyResult& result, const TerminalStyle& style) {
  std::string text = item("bound by", bound_sentence(result), style) +
                     item("reached", reach_sentence(result), style) +
                     item("this space", space_sentence(result), style);
  if (result.best) {
    if (shows_items(result))
      text += item("speed",
                   rate_text(result.roofline.work.items / result.best->seconds.value,
                             result.roofline.work.item),
                   style);
    if (result.bound.known()) text += item("gap", gap_sentence(result.best->gap), style);
  }
  return text;
}

}  // namespace

TerminalStyle TerminalStyle::detect(bool tty, int columns, const char* locale, const char* term,
                                    const char* no_color) {
  TerminalStyle style;
  style.width = columns > 0 ? std::clamp(columns, 40, 160) : 80;
  const bool dumb = term && std::strcmp(term, "dumb") == 0;
  style.colour = tty && !dumb && !(no_color && *no_color);
  const std::string words = lower_case(locale ? locale : "");
  style.unicode = !dumb && (words.find("utf-8") != std::string::npos ||
                            words.find("utf8") != std::string::npos);
  return style;
}

std::string terminal_summary(const StudyResult& result, const TerminalStyle& style) {
  const Answer summary = answer(result);
  std::string text =
      headline_text(summary, style) + inputs_text(result, style) + times(result, style) + '\n';
  for (const AnswerLine& line : summary.lines) text += item(line.about.c_str(), line.text, style);
  text += best_line(result, style);
  constexpr std::size_t shown = 2;
  for (std::size_t i = 0; i < std::min(shown, result.notes.size()); ++i)
    text += item("note", result.notes[i], style);
  if (result.notes.size() > shown)
    text += item("", fmt::format("{} more notes with -v", result.notes.size() - shown), style);
  // Only when asked for by name.
  if (const auto staircase = staircase_section(result)) text += terminal_section(*staircase, style);
  return style.unicode ? text : ascii_only(text);
}

std::string terminal_details(const StudyResult& result, const TerminalStyle& style) {
  std::string text = explanation(result, style);
  for (const Section& section : measured_sections(result)) text += terminal_section(section, style);
  text += terminal_rule("how it went", style);
  for (const auto& [name, sentence] : course(result)) text += item(name.c_str(), sentence, style);
  return style.unicode ? text : ascii_only(text);
}

std::string terminal_rule(std::string title, const TerminalStyle& style) {
  title[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(title[0])));
  std::string line;
  for (int i = columns_of(title) + 4; i < style.width; ++i) line += style.unicode ? "\u2500" : "-";
  return fmt::format("\n{} {}\n", inked(title, Ink::strong, style.colour),
                     inked(line, Ink::faint, style.colour));
}

std::string terminal_table(const HtmlTable& table, const TerminalStyle& style, int joined_below,
                           int widest) {
  TextTable text(style.width);
  const auto add = [&](const std::vector<HtmlCell>& row, bool head) {
    std::vector<TextTable::Cell> cells;
    for (std::size_t i = 0; i < row.size(); ++i)
      if (style.width >= table.head[i].from)
        cells.push_back({row[i].brief.empty() ? row[i].text : row[i].brief,
                         head ? Ink::faint : row[i].ink, table.head[i].classes.starts_with('n')});
    if (style.width < joined_below) {
      const std::string last = cells.back().text;
      cells.pop_back();
      if (!last.empty()) cells.back().text += "; " + last;
    }
    text.row(std::move(cells));
  };
  add(table.head, true);
  for (const auto& row : table.rows) add(row, false);
  return text.str(style.colour, widest > 0 ? widest : std::max(16, style.width * 9 / 20));
}

std::string terminal_section(const Section& section, const TerminalStyle& style) {
  std::string text = terminal_rule(section.title, style);
  if (!section.opening.empty()) text += paragraph("  ", section.opening, style.width);
  text += terminal_table(section.table, style, section.joined_below);
  for (const std::string& remark : section.remarks) text += paragraph("  ", remark, style.width);
  return text;
}

void html_section(Markup& page, const Section& section) {
  const HtmlFold fold(page, section.title);
  html_paragraph(page, section.opening, "sub");
  html_table(page, section.table);
  for (const std::string& remark : section.remarks) html_paragraph(page, remark, "sub");
}

}  // namespace rooftune::report
