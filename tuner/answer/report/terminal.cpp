#include "report/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/text.h"
#include "report/answer.h"
#include "report/figures.h"
#include "report/sentences.h"
#include "report/study_evidence.h"
#include "report/text_table.h"
#include "report/trade_offs.h"

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

/// Least bytes at the charted level over time: a GB/s figure without counters.
std::string byte_rate(const StudyResult& result, double seconds) {
  const double bytes = least_bytes(result, charted_level(result));
  return bytes > 0 ? rate_text(bytes / seconds, std::string(byte_unit)) : "";
}

bool shows_items(const StudyResult& result) {
  return result.roofline.work.items > 0 && performance(result.roofline.work).unit == flop_unit;
}

/// Bound, best and baseline, a line each; empty without any.
HtmlTable times_table(const StudyResult& result, bool intervals) {
  const Performance speed = performance(result.roofline.work);
  const Work& work = result.roofline.work;
  HtmlTable table{.head = {{""},
                           {figure_name(result.own_figure)},
                           number_head(result.own_figure ? "" : "speed", 48),
                           number_head("items", shows_items(result) ? 100 : page_only),
                           number_head(byte_rate(result, 1).empty() ? "" : "least bytes", 76),
                           {result.bound.known() ? "gap" : ""}}};
  const auto figures_of = [&](const std::optional<Contender>& one) {
    return one ? further_figures(result, one->trial) : std::map<std::string, double>();
  };
  std::vector<std::string> names;
  for (const auto& [name, ignored] : figures_of(result.best)) names.push_back(name);
  for (const std::string& name : names) table.head.push_back(number_head(name));
  const auto add = [&](const char* name, const Estimate& seconds, const std::string& gap, Ink ink,
                       const std::map<std::string, double>& figures = {}) {
    auto& row = table.rows.emplace_back();
    for (const std::string& text :
         {std::string(name),
          intervals ? figure_interval(result.own_figure, seconds)
                    : figure_text(result.own_figure, seconds.value),
          result.own_figure ? "" : rate_text(speed.rate(seconds.value), speed.unit),
          rate_text(work.items / seconds.value, work.item), byte_rate(result, seconds.value),
          result.bound.known() ? gap : ""})
      row.push_back({.text = text, .ink = ink});
    for (const std::string& figure : names)
      row.push_back(
          {.text = figures.contains(figure) ? significant(figures.at(figure), 4) : "", .ink = ink});
  };
  const Bound& bound = result.bound;
  if (bound.known())
    add("bound", {bound.time.value(), bound.low.value(), bound.high.value()}, "1x", Ink::none);
  if (result.best && result.best->reach)
    add("its code", Estimate::exact(result.best->reach->reachable.value()),
        ratio_text(result.best->reach->reachable / result.bound.time), Ink::none);
  if (result.best)
    add("best", result.best->seconds, ratio_text(result.best->gap.total.value), Ink::green,
        figures_of(result.best));
  if (result.baseline)
    add("baseline", result.baseline->seconds, ratio_text(result.baseline->gap.total.value),
        Ink::none, figures_of(result.baseline));
  return table;
}

std::string times(const StudyResult& result, const TerminalStyle& style) {
  const HtmlTable table = times_table(result, style.width >= 64);
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
  if (result.bound.known() && (result.best || result.baseline))
    text += terminal_rule("roofline", style) + roofline_characters(roofline_view(result), style);
  for (const Section& section : measured_sections(result)) text += terminal_section(section, style);
  text += terminal_rule("how it went", style);
  for (const auto& [name, sentence] : course(result)) text += item(name.c_str(), sentence, style);
  return style.unicode ? text : ascii_only(text);
}

}  // namespace rooftune::report
