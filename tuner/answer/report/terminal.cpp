#include "report/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/units.h"
#include "report/ablation.h"
#include "report/answer.h"
#include "report/counted_rows.h"
#include "report/doubt_notes.h"
#include "report/experiments.h"
#include "report/figures.h"
#include "report/inputs_answer.h"
#include "report/sentences.h"
#include "report/staircase.h"
#include "report/terminal_chart.h"
#include "report/text_table.h"

namespace rooftune::report {
namespace {

/// "  name       text", wrapped; empty texts leave no line.
std::string item(const char* name, const std::string& text, const TerminalStyle& style) {
  if (text.empty()) return {};
  const std::string plain = paragraph(fmt::format("  {:<10} ", name), text, style.width);
  return "  " + inked(fmt::format("{:<10}", name), Ink::faint, style.colour) + plain.substr(12);
}

std::string rule(const std::string& title, const TerminalStyle& style) {
  const int length = std::max(0, style.width - columns_of(title) - 4);
  std::string line;
  for (int i = 0; i < length; ++i) line += style.unicode ? "\u2500" : "-";
  return fmt::format("\n{} {}\n", inked(title, Ink::strong, style.colour),
                     inked(line, Ink::faint, style.colour));
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
  const InputsAnswer& inputs = *report.inputs;
  return '\n' + inputs_table(inputs, style) + '\n' +
         paragraph("  ",
                   fmt::format("What follows is input {} ({}); tune report --input N shows another",
                               inputs.shown + 1, inputs.rows[inputs.shown].name),
                   style.width);
}

/// Least bytes at the charted level over time: a GB/s figure without counters.
std::string byte_rate(const StudyResult& report, double seconds) {
  const std::string level = charted_level(report);
  if (level.empty()) return {};
  const double bytes = least_bytes(report, level);
  return bytes > 0 ? rate_text(bytes / seconds, "B") : std::string();
}

bool shows_items(const StudyResult& report) {
  return report.roofline.work.items > 0 && performance(report.roofline.work).unit == "flop";
}

void time_row(TextTable& table, const char* name, const Estimate& seconds, const std::string& gap,
              const StudyResult& report, const TerminalStyle& style, Ink ink) {
  const Performance speed = performance(report.roofline.work);
  std::vector<TextTable::Cell> cells{
      {name, ink},
      {style.width < 64 ? seconds_text(seconds.value) : seconds_interval(seconds), ink}};
  if (style.width >= 48)
    cells.push_back({rate_text(speed.rate(seconds.value), speed.unit), ink, true});
  if (shows_items(report) && style.width >= 100)
    cells.push_back(
        {rate_text(report.roofline.work.items / seconds.value, report.roofline.work.item), ink,
         true});
  if (style.width >= 76) cells.push_back({byte_rate(report, seconds.value), ink, true});
  cells.push_back({gap, ink});
  table.row(std::move(cells));
}

void header_row(TextTable& table, const StudyResult& report, const TerminalStyle& style) {
  std::vector<TextTable::Cell> cells{{"", Ink::faint}, {"time per call", Ink::faint}};
  if (style.width >= 48) cells.push_back({"speed", Ink::faint, true});
  if (shows_items(report) && style.width >= 100) cells.push_back({"items", Ink::faint, true});
  if (style.width >= 76) cells.push_back({"least bytes", Ink::faint, true});
  if (report.bound.known()) cells.push_back({"gap", Ink::faint});
  table.row(std::move(cells));
}

std::string times(const StudyResult& report, const TerminalStyle& style) {
  TextTable table(style.width);
  const Bound& bound = report.bound;
  if (bound.known() || report.best || report.baseline) header_row(table, report, style);
  if (bound.known())
    time_row(table, "bound", {bound.time.value(), bound.low.value(), bound.high.value()}, "1x",
             report, style, Ink::none);
  const auto gap = [&](const Contender& contender) {
    return bound.known() ? ratio_text(contender.gap.total.value) : std::string();
  };
  if (report.best)
    time_row(table, "best", report.best->seconds, gap(*report.best), report, style, Ink::green);
  if (report.baseline)
    time_row(table, "baseline", report.baseline->seconds, gap(*report.baseline), report, style,
             Ink::none);
  std::string text = table.empty() ? "" : '\n' + table.str(style.colour);
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

TextTable::Cell state_cell(LedgerEntry::State state, const TerminalStyle& style) {
  switch (state) {
    case LedgerEntry::State::broken:
      return {style.unicode ? "\u2714 broken" : "x broken", Ink::green};
    case LedgerEntry::State::touching:
      return {style.unicode ? "\u2248 touching" : "~ touching", Ink::yellow};
    case LedgerEntry::State::uncertain:
      return {"? uncertain", Ink::yellow};
    case LedgerEntry::State::above:
      return {style.unicode ? "\u2191 above" : "^ above", Ink::none};
  }
  return {};
}

std::string reason(const LedgerEntry& entry) {
  if (entry.state == LedgerEntry::State::broken)
    return entry.knobs.empty() && entry.not_set_back.empty() ? "" : "by " + broken_by(entry);
  if (entry.state == LedgerEntry::State::uncertain) return entry.doubt;
  return entry.lacks.empty() ? "the roof" : "falls to " + lacks_text(entry);
}

std::string ledger_text(const StudyResult& report, const TerminalStyle& style) {
  const LedgerDigest digest = ledger_digest(report);
  if (digest.rows.empty()) return {};
  TextTable table(style.width);
  for (const LedgerRow& row : digest.rows) {
    const LedgerEntry& entry = row.entry;
    std::string name = style.width >= 130 ? full_name(entry) : short_name(entry);
    if (entry.kind == LedgerEntry::Kind::wall) name = "wall: " + name;
    if (row.alike > 0) name += fmt::format(" (+{})", row.alike);
    const std::string why = reason(entry);
    std::vector<TextTable::Cell> cells{state_cell(entry.state, style),
                                       {seconds_text(entry.time.value()), Ink::none, true}};
    if (style.width >= 110)
      cells.insert(cells.end(), {{name}, {why}});
    else
      cells.push_back({why.empty() ? name : name + "; " + why});
    table.row(std::move(cells));
  }
  std::string text = rule("ceilings and walls, slowest first", style) +
                     table.str(style.colour, std::max(16, style.width * 9 / 20));
  for (const std::string& sentence : ledger_remarks(digest))
    text += paragraph("  ", sentence, style.width);
  return text;
}

std::string counted_section(const StudyResult& report, const TerminalStyle& style) {
  const auto rows = counted_rows(report);
  if (rows.empty()) return {};
  TextTable table(style.width);
  table.row({{"per call", Ink::faint},
             {"least", Ink::faint, true},
             {"best", Ink::faint, true},
             {"baseline", Ink::faint, true}});
  const auto value = [](const std::optional<Estimate>& figure, const std::string& unit) {
    return figure ? counted_text(Estimate::exact(figure->value), unit) : std::string("-");
  };
  for (const CountedRow& row : rows)
    table.row(
        {{row.quantity},
         {row.least ? counted_text(Estimate::exact(*row.least), row.unit) : "", Ink::faint, true},
         {value(row.best, row.unit), Ink::none, true},
         {value(row.baseline, row.unit), Ink::none, true}});
  std::string text = rule("what was counted", style) + table.str(style.colour);
  const auto& shown = report.best && report.best->counts ? report.best : report.baseline;
  text += item("operations", operations_text(*shown->counts), style);
  text += item("walls", walls_text(report, *shown->counts), style);
  for (const std::string& sentence : provenance_of(*shown->counts))
    text += item("counted", sentence, style);
  return text;
}

std::string sample_section(const StudyResult& report, const TerminalStyle& style) {
  const auto rows = sample_rows(report);
  if (rows.empty()) return {};
  const bool wide = style.width >= 110;
  const auto right = [](const std::string& text, Ink ink = Ink::none) {
    return TextTable::Cell{text, ink, true};
  };
  const auto factor = [&](const std::optional<double>& value) {
    return right(value ? significant(*value, 3) : "-");
  };
  const auto exact = [&](const std::optional<Estimate>& figure, const char* unit) {
    return right(figure ? counted_text(Estimate::exact(figure->value), unit) : "-");
  };
  TextTable table(style.width);
  const auto add = [&](std::vector<TextTable::Cell> cells, const TextTable::Cell& bytes,
                       const TextTable::Cell& done, const TextTable::Cell& last) {
    if (wide) cells.insert(cells.end(), {bytes, done});
    cells.push_back(last);
    table.row(std::move(cells));
  };
  add({{"", Ink::faint},
       right("time", Ink::faint),
       right("gap", Ink::faint),
       right("= work", Ink::faint),
       right("x traffic", Ink::faint),
       right("x rate", Ink::faint)},
      right(charted_level(report) + " bytes", Ink::faint), right("flops", Ink::faint),
      {"has", Ink::faint});
  for (const SampleRow& row : rows) {
    const Gap& gap = row.contender->gap;
    add({{row.subject},
         right(seconds_text(row.contender->seconds.value)),
         right(ratio_text(gap.total.value)),
         factor(gap.work),
         factor(gap.traffic),
         factor(gap.rate)},
        exact(row.bytes, "B"), exact(row.flops, ""), {row.difference});
  }
  return rule("work and traffic across the space", style) + table.str(style.colour);
}

std::string ending(const StudyResult& report, const TerminalStyle& style) {
  const ResultIdentity& study = report.identity;
  std::string text = rule("how it went", style);
  text += item("kernel", study.title, style) + item("on", study_sentence(report), style);
  std::string problem = facts_text(report.problem);
  if (!report.facts.empty()) problem += (problem.empty() ? "" : "; ") + facts_text(report.facts);
  text += item("problem", problem, style);
  text +=
      item("stopped",
           report.stop.sentence.empty() ? word(report.stop.reason) : report.stop.sentence, style);
  text +=
      item("trials", fmt::format("{}: {}", report.trials.size(), outcome_sentence(report)), style);
  text += item("cost", cost_sentence(report), style);
  if (report.space.cartesian_size > 0)
    text += item("space",
                 fmt::format("{} allowed configurations of {}", extent_text(report.space.extent),
                             count_text(report.space.cartesian_size)),
                 style);
  for (const std::string& knob : collapsed_knobs(report)) text += item("fixed", knob, style);
  for (const std::string& missing : report.bound.missing)
    text += item("note", "the bound leaves out " + missing + ": no ceiling applies (tune probe)",
                 style);
  if (report.transfer) text += item("start", to_text(*report.transfer), style);
  for (const Drift& drift : report.drifts) text += item("anchor", drift.sentence, style);
  for (const std::string& note : report.notes) text += item("note", note, style);
  text +=
      item("study", fmt::format("{}, strategy {}, seed {}", study.id, study.strategy, study.seed),
           style);
  return text + item("records", study.record_file, style);
}

}  // namespace

TerminalStyle TerminalStyle::detect(bool tty, int columns, const char* locale, const char* term,
                                    const char* no_color) {
  TerminalStyle style;
  style.width = columns > 0 ? std::clamp(columns, 40, 160) : 80;
  const bool dumb = term && std::strcmp(term, "dumb") == 0;
  style.colour = tty && !dumb && !(no_color && *no_color);
  std::string words = locale ? locale : "";
  std::transform(words.begin(), words.end(), words.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
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
  if (report.staircase) text += rule("the published path", style) + staircase_text(report, style);
  return style.unicode ? text : ascii_only(text);
}

std::string terminal_details(const StudyResult& report, const TerminalStyle& style) {
  std::string text = explanation(report, style);
  if (report.bound.known() && (report.best || report.baseline))
    text += rule("roofline", style) + terminal_roofline(report, style);
  text += counted_section(report, style) + sample_section(report, style);
  text += ledger_text(report, style);
  if (const std::string worth = ablation_text(report, style); !worth.empty())
    text += rule("what each change is worth", style) + worth;
  if (const std::string walls = experiments_text(report, style); !walls.empty())
    text += rule("walls of traffic, by experiment", style) + walls;
  text += ending(report, style);
  return style.unicode ? text : ascii_only(text);
}

}  // namespace rooftune::report
