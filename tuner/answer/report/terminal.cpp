#include "report/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/text.h"
#include "report/ablation.h"
#include "report/answer.h"
#include "report/doubt_notes.h"
#include "report/figures.h"
#include "report/inputs_answer.h"
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
    case Answer::Verdict::thriftier:
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
  return text + doubts.notes(style);
}

/// All inputs, and the one described below.
std::string inputs_text(const StudyResult& report, const TerminalStyle& style) {
  if (!report.inputs) return {};
  return '\n' +
         terminal_table(inputs_table(*report.inputs, {}), style, 0, std::max(16, style.width / 4)) +
         '\n' + paragraph("  ", shown_input_sentence(*report.inputs), style.width);
}

/// Least bytes at the charted level over time: a GB/s figure without counters.
std::string byte_rate(const StudyResult& report, double seconds) {
  const double bytes = least_bytes(report, charted_level(report));
  return bytes > 0 ? rate_text(bytes / seconds, std::string(byte_unit)) : "";
}

bool shows_items(const StudyResult& report) {
  return report.roofline.work.items > 0 && performance(report.roofline.work).unit == flop_unit;
}

/// Bound, best and baseline, a line each; empty without any.
HtmlTable times_table(const StudyResult& report, bool intervals) {
  const Performance speed = performance(report.roofline.work);
  const Work& work = report.roofline.work;
  HtmlTable table{.head = {{""},
                           {"time per call"},
                           number_head("speed", 48),
                           number_head("items", shows_items(report) ? 100 : page_only),
                           number_head("least bytes", 76),
                           {report.bound.known() ? "gap" : ""}}};
  const auto add = [&](const char* name, const Estimate& seconds, double gap, Ink ink) {
    auto& row = table.rows.emplace_back();
    for (const std::string& text :
         {std::string(name), intervals ? seconds_interval(seconds) : seconds_text(seconds.value),
          rate_text(speed.rate(seconds.value), speed.unit),
          rate_text(work.items / seconds.value, work.item), byte_rate(report, seconds.value),
          report.bound.known() ? ratio_text(gap) : ""})
      row.push_back({.text = text, .ink = ink});
  };
  const Bound& bound = report.bound;
  if (bound.known())
    add("bound", {bound.time.value(), bound.low.value(), bound.high.value()}, 1, Ink::none);
  if (report.best) add("best", report.best->seconds, report.best->gap.total.value, Ink::green);
  if (report.baseline)
    add("baseline", report.baseline->seconds, report.baseline->gap.total.value, Ink::none);
  return table;
}

std::string times(const StudyResult& report, const TerminalStyle& style) {
  const HtmlTable table = times_table(report, style.width >= 64);
  std::string text = table.rows.empty() ? "" : '\n' + terminal_table(table, style, 0, 60);
  if (!report.baseline && !report.no_baseline_because.empty())
    text += item("baseline", "not measured: " + report.no_baseline_because, style);
  return text;
}

std::string best_line(const StudyResult& report, const TerminalStyle& style) {
  if (!report.best || report.baseline_stands) return {};
  return item("best has", changed_knobs(report, report.best->configuration), style);
}

/// The rest about the bound, the gap and the best, not in the answer.
std::string explanation(const StudyResult& report, const TerminalStyle& style) {
  std::string text = item("bound by", bound_sentence(report), style) +
                     item("reached", reach_sentence(report), style) +
                     item("this space", space_sentence(report), style);
  if (report.best) {
    if (shows_items(report))
      text += item("speed",
                   rate_text(report.roofline.work.items / report.best->seconds.value,
                             report.roofline.work.item),
                   style);
    if (report.bound.known()) text += item("gap", gap_sentence(report.best->gap), style);
    for (const std::string& sentence : promotion_sentences(report))
      text += item("promoted", sentence, style);
  }
  return text + item("tie", tie_sentence(report), style);
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

std::string terminal_summary(const StudyResult& report, const TerminalStyle& style) {
  const Answer summary = answer(report);
  std::string text =
      headline_text(summary, style) + inputs_text(report, style) + times(report, style) + '\n';
  for (const AnswerLine& line : summary.lines) text += item(line.about.c_str(), line.text, style);
  text += best_line(report, style);
  constexpr std::size_t shown = 2;
  for (std::size_t i = 0; i < std::min(shown, report.notes.size()); ++i)
    text += item("note", report.notes[i], style);
  if (report.notes.size() > shown)
    text += item("", fmt::format("{} more notes with -v", report.notes.size() - shown), style);
  // Only when asked for by name.
  if (const auto staircase = staircase_section(report)) text += terminal_section(*staircase, style);
  return style.unicode ? text : ascii_only(text);
}

std::string terminal_details(const StudyResult& report, const TerminalStyle& style) {
  std::string text = explanation(report, style);
  if (report.bound.known() && (report.best || report.baseline))
    text += terminal_rule("roofline", style) + roofline_characters(roofline_view(report), style);
  for (const Section& section : measured_sections(report)) text += terminal_section(section, style);
  text += terminal_rule("how it went", style);
  for (const auto& [name, sentence] : course(report)) text += item(name.c_str(), sentence, style);
  return style.unicode ? text : ascii_only(text);
}

}  // namespace rooftune::report
