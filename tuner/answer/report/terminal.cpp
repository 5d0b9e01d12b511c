#include "report/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ranges>

#include "core/list.h"
#include "core/text.h"
#include "report/answer.h"
#include "report/figures.h"
#include "report/sentences.h"
#include "report/staircase.h"
#include "report/study_evidence.h"
#include "report/study_tables.h"
#include "report/text_table.h"

namespace rooftune::report {
namespace {

/// Further doubts are shown with -v.
constexpr size_t shown_doubts = 2;

/// A result on a terminal, part by part.
struct Screen {
  const StudyResult& result;
  TerminalStyle style;
  Claims said = claims(result);

  std::string headline_text() const {
    std::string text;
    for (const std::string& line : wrapped(printable(headline(said)), style.width))
      text += inked(line, ink_of(said.front()), style.colour) + '\n';
    return text;
  }

  /// All inputs, and which one the rest describes.
  std::string inputs_text() const {
    if (!result.inputs) return {};
    return '\n' +
           terminal_table(inputs_table(*result.inputs), style, std::max(16, style.width / 4)) +
           '\n' + paragraph("  ", shown_input_sentence(*result.inputs), style.width);
  }

  /// The steps, and below them what is left.
  std::string steps_text() const {
    HtmlTable table = staircase_table(result);
    if (table.rows.empty()) return {};
    if (const Claim* const more = claim_of(said, Claim::Kind::more)) {
      const Figure& time = more->figures.at("time");
      const std::string text = time.unit == time_unit
                                   ? amount_text(time.value.value, "s")
                                   : significant(time.value.value, 4) + " " + time.unit;
      table.rows.push_back({{text, "n"}, {"", "n"}, {words_of(*more)}});
    }
    constexpr int widest = 30;
    std::string text = "\n";
    if (result.staircase && !result.staircase->title.empty())
      text +=
          paragraph("  ", fmt::format("{} ({})", result.staircase->title, result.staircase->source),
                    style.width);
    return text + terminal_table(table, style, widest);
  }

  std::string goals_text() const {
    const HtmlTable goals = trade_offs_table(result);
    return goals.rows.size() > 1 ? '\n' + terminal_table(goals, style, 60) : "";
  }

  /// A line for each claim and doubt; a line with the same label as the line before has none.
  std::string lines_text() const {
    std::string text, before;
    const auto add = [&](const std::string& label, const std::string& sentence) {
      if (!label.empty()) text += terminal_line(label == before ? "" : label, sentence, style);
      before = label;
    };
    const Texts doubtful = doubts(said);
    for (const std::string& doubt : std::views::take(doubtful, shown_doubts)) add("doubt", doubt);
    if (doubtful.size() > shown_doubts)
      add("doubt", fmt::format("{} more with -v", doubtful.size() - shown_doubts));
    for (const Claim& claim : said) add(label_of(claim), words_of(claim));
    if (const std::string nodes = nodes_sentence(result); !nodes.empty()) add("nodes", nodes);
    if (!result.notes.empty()) {
      constexpr int label = 11;
      const std::string& first = result.notes.front();
      const bool whole = result.notes.size() == 1 && columns_of(first) <= style.width - label;
      const std::string more = " ... (all with -v)";
      add("note", whole ? first : wrapped(first, style.width - label - columns_of(more))[0] + more);
    }
    return text;
  }

  /// What the best's compiled code can reach, beside the least time that any code needs.
  std::string code_sentence() const {
    if (!result.best->reach || !result.bound.known() || result.inputs) return {};
    const CallTime& reach = *result.best->reach;
    return fmt::format("the instructions of the best need {} by their {}, {} the bound of any code",
                       seconds_text(reach.reachable.value()), reach.reached_by,
                       ratio_text(reach.reachable / result.bound.time));
  }

  /// What the answer leaves out about the bound and the best.
  std::string explanation() const {
    std::string text;
    const auto add = [&](const char* label, const std::string& sentence) {
      text += terminal_line(label, sentence, style);
    };
    if (result.bound.known())
      add("bound", seconds_text(result.bound.time.value()) +
                       ", at the fastest rate that was ever seen here: " + bound_sentence(result));
    add("this space", space_sentence(result));
    if (!result.best) return text;
    add("its code", code_sentence());
    if (!result.baseline_stands) add("best has", changed_knobs(result, result.best->configuration));
    if (result.staircase) add("not needed", joined(result.staircase->unneeded));
    const Work& work = result.roofline.work;
    if (work.items > 0 && performance(work).unit == flop_unit)
      add("speed", rate_text(work.items / result.best->seconds.value, work.item));
    if (constexpr double more = 1.05; work.nominal.value() > more * least_flops(work))
      add("GFLOP/s", fmt::format("are nominal, of the {} of a usual code",
                                 amount_text(work.nominal.value(), flop_unit)));
    Texts rates;
    if (result.limit)
      for (const BusyPart& part : result.limit->parts)
        rates.push_back(fmt::format("{} {} at {} ({})", part.part,
                                    amount_text(part.amount, part.unit),
                                    rate_text(part.rate, part.unit), part.ceiling));
    add("busy with", joined(rates, "; "));
    add("uncounted", result.best->not_counted_because);
    const Texts doubtful = doubts(said);
    for (const std::string& doubt : std::views::drop(doubtful, shown_doubts)) add("doubt", doubt);
    return text;
  }

  /// A heading with a rule up to the terminal's width.
  std::string rule(std::string title) const {
    title[0] = char(std::tolower(uint8_t(title[0])));
    std::string line;
    for (int i = columns_of(title) + 4; i < style.width; ++i)
      line += style.unicode ? "\u2500" : "-";
    return fmt::format("\n{} {}\n", inked(title, Ink::strong, style.colour),
                       inked(line, Ink::faint, style.colour));
  }

  std::string section_text(const Section& section) const {
    std::string text = rule(section.title);
    if (!section.opening.empty()) text += paragraph("  ", section.opening, style.width);
    text += terminal_table(section.table, style);
    for (const std::string& remark : section.remarks) text += paragraph("  ", remark, style.width);
    return text;
  }
};

}  // namespace

TerminalStyle TerminalStyle::detect(bool tty, int columns, const std::string& locale,
                                    const std::string& term, const std::string& no_color) {
  TerminalStyle style;
  style.width = columns > 0 ? std::clamp(columns, 40, 160) : 100;
  const bool dumb = term == dumb_terminal;
  style.colour = tty && !dumb && no_color.empty();
  const std::string words = lower_case(locale);
  style.unicode = !dumb && (contains(words, "utf-8") || contains(words, "utf8"));
  return style;
}

std::string terminal_line(const std::string& name, const std::string& text,
                          const TerminalStyle& style) {
  if (text.empty()) return {};
  const std::string plain = paragraph(fmt::format("{:<10} ", name), text, style.width);
  return inked(fmt::format("{:<10}", name), Ink::faint, style.colour) + plain.substr(10);
}

std::string terminal_summary(const StudyResult& result, const TerminalStyle& style) {
  // The answer has a hundred columns, on wider terminals too.
  const Screen screen{result, {std::min(style.width, 100), style.colour, style.unicode}};
  const std::string text = screen.headline_text() + screen.inputs_text() + screen.steps_text() +
                           screen.goals_text() + '\n' + screen.lines_text();
  return style.unicode ? text : ascii_only(text);
}

std::string terminal_details(const StudyResult& result, const TerminalStyle& style) {
  const Screen screen{result, style};
  std::string text = screen.explanation();
  for (const Section& section : measured_sections(result)) text += screen.section_text(section);
  text += screen.rule("how it went");
  for (const auto& [name, sentence] : course(result)) text += terminal_line(name, sentence, style);
  return style.unicode ? text : ascii_only(text);
}

std::string terminal_table(const HtmlTable& table, const TerminalStyle& style, int widest) {
  TextTable text(style.width);
  const auto add = [&](const HtmlRow& row, bool head) {
    std::vector<TextTable::Cell> cells;
    for (const size_t i : indices(row))
      if (style.width >= table.head[i].from)
        cells.push_back({row[i].brief.empty() ? row[i].text : row[i].brief,
                         head ? Ink::faint : row[i].ink, table.head[i].classes.starts_with('n')});

    text.row(std::move(cells));
  };
  add(table.head, true);
  for (const auto& row : table.rows) add(row, false);
  return text.str(style.colour, widest > 0 ? widest : std::max(16, style.width * 9 / 20));
}

}  // namespace rooftune::report
