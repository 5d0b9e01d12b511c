#include "report/comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/list.h"
#include "report/answer.h"
#include "report/figures.h"
#include "report/staircase.h"
#include "report/text_table.h"

namespace rooftune::report {
namespace {

std::string short_id(const StudyResult& study) { return study.header.id.substr(0, 8); }

/// What may differ between one kernel's studies, in the same order for all.
TextPairs circumstances(const StudyResult& study) {
  const StudyHeader& its = study.header;
  return {{"subject", its.kernel},
          {"machine", its.machine + " " + its.machine_id.substr(0, 8)},
          {"back end", its.backend},
          {"problem", facts_text(study.problem)},
          {"threads", std::to_string(its.threads)},
          {"caches", its.cache_state},
          {"compiler", study.setup.compiler},
          {"revision", study.setup.revision},
          {"version", study.setup.version},
          {"date", study.date}};
}

/// "3.5 ms 2.02x half, prefetch"
std::string stair_text(const StudyResult& study, size_t step) {
  if (!study.staircase || step >= study.staircase->stairs.size()) return {};
  const Stair& stair = study.staircase->stairs[step];
  if (!stair.seconds) return stair.absent_because;
  return figure_text(study.own_figure, stair.seconds->value) +
         (stair.gain ? fmt::format(" {} {}", ratio_text(stair.gain->value),
                                   step_text(stair.changes, stair.gain))
                     : " baseline");
}

/// Compares two bests that were not raced against each other.
std::string verdict(const StudyResult& first, const StudyResult& second) {
  if (!first.best || !second.best) return "Nothing was measured in one of them.";
  if (first.header.kernel != second.header.kernel || first.problem != second.problem)
    return "Their times cannot be compared: kernel or problem differ.";
  const bool ahead = first.best->seconds.value < second.best->seconds.value;
  const StudyResult &fast = ahead ? first : second, &slow = ahead ? second : first;
  if (fast.best->seconds.overlaps(slow.best->seconds))
    return "Their bests cannot be told apart: the intervals overlap.";
  return fmt::format(
      "The best of {} is {} faster than that of {}. They were measured apart, not raced.",
      short_id(fast), ratio_interval(slow.best->seconds / fast.best->seconds), short_id(slow));
}

std::string time_text(const StudyResult& study) {
  return study.best ? figure_interval(study.own_figure, study.best->seconds) : "-";
}

/// The knob's value in the best; "-" where there is none.
std::string knob_text(const StudyResult& study, const std::string& knob) {
  const bool has = study.best && study.best->configuration.has(knob);
  return has ? to_text(study.best->configuration.at(knob)) : "-";
}

}  // namespace

std::string terminal_comparison(const StudyResult& first, const StudyResult& second,
                                const TerminalStyle& style) {
  TextTable table(style.width, 0);
  const auto row = [&](const std::string& name, const std::string& a, const std::string& b,
                       bool differing = false) {
    if (!differing || a != b) table.row({{name, Ink::faint}, {a}, {b}});
    return a == b;
  };
  row("", short_id(first), short_id(second));
  const TextPairs of_first = circumstances(first), of_second = circumstances(second);
  for (const size_t i : indices(of_first))
    row(of_first[i].first, of_first[i].second, of_second[i].second, true);
  row("best", time_text(first), time_text(second));
  row("answer", headline(claims(first)), headline(claims(second)));
  for (size_t step = 0;; ++step) {
    const std::string a = stair_text(first, step), b = stair_text(second, step);
    if (a.empty() && b.empty()) break;
    row(step == 0 ? "steps" : "", a, b);
  }
  Texts knobs = members(first.space.knobs, &Knob::name), alike;
  for (const Knob& knob : second.space.knobs) add_once(knobs, knob.name);
  for (const std::string& knob : knobs)
    if (row(knob, knob_text(first, knob), knob_text(second, knob), true)) alike.push_back(knob);
  constexpr int name_and_gaps = 16;
  const std::string text = paragraph("", verdict(first, second), style.width) + '\n' +
                           table.str(style.colour, (style.width - name_and_gaps) / 2) + '\n' +
                           terminal_line("alike", joined(alike), style);
  return style.unicode ? text : ascii_only(text);
}

}  // namespace rooftune::report
