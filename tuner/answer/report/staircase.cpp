#include "report/staircase.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/fields.h"
#include "core/list.h"
#include "report/answer.h"
#include "report/figures.h"
#include "report/sentences.h"
#include "report/study_evidence.h"
#include "report/study_tables.h"
#include "study/findings.h"

namespace rooftune::report {
namespace {

/// The first, and how many more there are.
std::string first_of(const Texts& names) {
  if (names.size() < 2) return joined(names);
  return fmt::format("{}; {} more", names.front(), names.size() - 1);
}

/// "memory moves 204 MB", "does 268 Mflop": what keeps the busiest part busy at the first step,
/// which nothing stands before.
std::string done_by(const Stair& stair) {
  if (!stair.limit || stair.limit->parts.empty()) return {};
  const BusyPart& busiest = stair.limit->parts.front();
  const std::string amount = amount_text(busiest.amount, busiest.unit);
  return busiest.unit == byte_unit ? busiest.part + " moves " + amount : "does " + amount;
}

std::string published_text(const PublishedFigures& figures) {
  Texts words;
  if (figures.seconds) words.push_back(seconds_text(*figures.seconds));
  if (figures.flops) words.push_back(amount_text(*figures.flops, flop_unit));
  if (figures.rate) words.push_back(rate_text(*figures.rate, flop_unit));
  return fmt::format("published {} on {}", list_text(words), figures.machine);
}

/// "prefetch 0 -> 8".
std::string change_text(const Step::Change& change) {
  return fmt::format("{} {} -> {}", change.knob, to_text(change.from), to_text(change.to));
}

std::string all_changes(const Step::Changes& changes) {
  return joined(members(changes, change_text));
}

/// " (steps 1 and 2)": the amounts belong to several steps.
std::string together(const Stair& stair) {
  const auto& [first, last] = stair.because_steps;
  if (stair.because.empty() || first == last) return {};
  return fmt::format(" (steps {} {} {})", first, first + 1 == last ? "and" : "to", last);
}

/// The cells "step", "because" and "broke", in full and in brief.
HtmlRow step_cells(const StudyResult& result, const Stair& stair, bool first) {
  HtmlCell step{.text = first ? stair_name(result, stair) : all_changes(stair.changes)};
  constexpr size_t two_lines = 52;
  if (!first) step.brief = step_text(stair.changes, stair.gain, two_lines);
  HtmlCell because{.text = because_text(stair.because) + together(stair),
                   .classes = "w",
                   .brief = because_text(stair.because, 36) + together(stair)};
  if (first) because.text = because.brief = done_by(stair);
  if (stair.published) {
    step.brief = stair_name(result, stair);
    step.text = step.brief + ": " + step.text;
    if (stair.published->published) because = {.text = published_text(*stair.published->published)};
  }
  if (!stair.absent_because.empty()) because = {.text = "not run: " + stair.absent_because};
  const Texts passed = passed_names(stair.passed);
  // If nothing was broken, ceilings that were only passed are shown.
  LedgerEntries broken = stair.passed;
  std::erase_if(broken, [](const LedgerEntry& entry) { return !entry.broken_by; });
  return {step,
          because,
          {.text = joined(passed, "; "),
           .classes = "w",
           .brief = first_of(passed_names(broken.empty() ? stair.passed : broken))}};
}

/// Adds the cells for a program's further figures.
void add_figures(const StudyResult& result, const Stair& stair, const Texts& names, HtmlRow& row) {
  for (const std::string& name : names) {
    HtmlCell cell{"-", "n"};
    if (stair.trial)
      if (const auto& figures = further_figures(result, *stair.trial); figures.contains(name))
        cell = number_cell(figures.at(name), significant(figures.at(name), 4));
    row.push_back(cell);
  }
}

Texts figure_names(const StudyResult& result) {
  return result.best ? keys_of(further_figures(result, result.best->trial)) : Texts{};
}

HtmlCell time_cell(const StudyResult& result, const std::optional<Estimate>& seconds) {
  if (!seconds) return {.text = "-", .classes = "n", .ink = Ink::yellow};
  HtmlCell cell = number_cell(seconds->value, figure_interval(result.own_figure, *seconds));
  cell.brief = result.own_figure ? figure_text(result.own_figure, seconds->value)
                                 : amount_text(seconds->value, "s");
  return cell;
}

HtmlCell gain_cell(const std::optional<Estimate>& gain) {
  if (!gain) return {"", "n"};
  HtmlCell cell = number_cell(gain->value, ratio_interval(*gain));
  cell.brief = ratio_text(gain->value);
  if (gain->low > 1) cell.ink = Ink::green;
  return cell;
}

Json published_json(const PublishedStep& step) {
  Json json{{"name", step.name}, {"title", step.title}};
  if (!step.published) return json;
  FieldWriter figures;
  ROOFTUNE_EACH(figures, step.published.value(), seconds, flops, rate, machine, source);
  json["figures"] = figures.json;
  return json;
}

Json stair_json(const Stair& stair) {
  Json json = encode(stair);
  json["broke"] = passed_names(stair.passed);
  if (!stair.absent_because.empty()) json["absent"] = stair.absent_because;
  if (stair.published) json["published"] = published_json(*stair.published);
  return json;
}

std::string in_markdown(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (contains("\\|*_`[]<>", c)) result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

}  // namespace

std::string paper_table(const StudyResult& study) {
  const HtmlTable table = staircase_table(study);
  std::string text;
  const auto line = [](const HtmlRow& cells) {
    std::string row = "|";
    for (const HtmlCell& cell : cells) row += " " + in_markdown(cell.text) + " |";
    return row + "\n";
  };
  text += line(table.head) + "|";
  for (const HtmlCell& head : table.head)
    text += head.classes.starts_with('n') ? " ---: |" : " --- |";
  text += "\n";
  for (const auto& row : table.rows) text += line(row);
  return text + "\n" + in_markdown(headline(claims(study))) + "\n";
}

std::string step_text(const Step::Changes& changes, const std::optional<Estimate>& gain,
                      size_t columns) {
  constexpr size_t one_line = 34;
  constexpr double small = 1.15;
  if (changes.empty()) return {};
  for (const std::string& text :
       {all_changes(changes), joined(members(changes, &Step::Change::knob))})
    if (text.size() <= one_line || changes.size() == 1) return text;
  if (gain && gain->value < small) return fmt::format("{} small changes", changes.size());
  std::string names = changes.front().knob;
  size_t shown = 1;
  const auto next = [&] { return names + ", " + changes[shown].knob; };
  for (; shown + 1 < changes.size() && next().size() + 12 <= columns; ++shown) names = next();
  return fmt::format("{} and {} more", names, changes.size() - shown);
}

Stairs stairs_of(const StudyResult& result) {
  if (result.staircase) return result.staircase->stairs;
  Stairs ends;
  for (const auto* one : {&result.baseline, &result.best})
    if (*one && (ends.empty() || ends.front().trial != (*one)->trial)) {
      Stair& stair = ends.emplace_back();
      stair.configuration = (*one)->configuration;
      stair.trial = (*one)->trial;
      stair.seconds = (*one)->seconds;
      stair.counts = (*one)->counts;
    }
  if (ends.size() < 2) return ends;
  ends.back().gain = result.speedup;
  ends.back().changes =
      changes(ends.front().configuration, ends.back().configuration, result.space.knobs);
  return ends;
}

std::string stair_name(const StudyResult& result, const Stair& stair) {
  if (stair.published) return stair.published->name + " " + stair.published->title;
  if (!stair.changes.empty()) return step_text(stair.changes, stair.gain);
  return result.baseline || result.staircase ? "your baseline" : "the best";
}

std::string because_text(const Amount& amount) {
  const auto changed = [&](const std::string& unit) {
    return amount_change(amount.before, amount.after, unit);
  };
  if (amount.unit == percent_unit) return changed("%") + " of " + amount.what;
  using enum Amount::Kind;
  if (amount.kind == traffic || amount.kind == memory_traffic)
    return amount.part + " " + changed(amount.unit);
  if (amount.kind == divisions) return changed("division") + " and roots";
  // "20 -> 1 parallel regions": the name is the unit.
  if (amount.what.ends_with(amount.unit + "s"))
    return changed(amount.what.substr(0, amount.what.size() - 1));
  return amount.what + " " + changed(amount.unit);
}

std::string because_text(const Amounts& because, std::optional<size_t> columns) {
  constexpr double most = 0.5, some = 0.2, nothing = 0.1;
  std::string text;
  double explained = 0;
  for (const Amount& amount : because) {
    // An amount that keeps no part busy does not say how much it explains: if it comes first, it is
    // the reason.
    const double share = amount.part.empty() ? double(text.empty()) : amount.explains;
    if (columns && share < nothing) continue;
    const std::string next = because_text(amount);
    if (columns && !text.empty() && text.size() + 2 + next.size() > *columns) break;
    join(text, next, ", ");
    explained = std::max(explained, share);
  }
  if (text.empty()) return because.empty() ? "" : "no counted reason";
  return (explained >= most      ? ""
          : explained >= some    ? "partly "
          : explained >= nothing ? "in small part "
                                 : "no counted reason; ") +
         text;
}

HtmlTable staircase_table(const StudyResult& result) {
  const Stairs stairs = stairs_of(result);
  if (stairs.empty()) return {};
  const Performance speed = performance(result.roofline.work);
  const AxisUnit unit =
      axis_unit(result.best ? speed.rate(result.best->seconds.value) : 1, speed.unit);
  const Texts figures = figure_names(result);
  HtmlTable table{.head = {number_head(result.own_figure ? figure_name(result.own_figure) : "time"),
                           number_head(unit.text, result.own_figure ? page_only : 72)},
                  .classes = "staircase"};
  for (const std::string& name : figures) table.head.push_back(number_head(name));
  // A narrow screen has no room for both columns.
  const int reasons = result.staircase ? 100 : page_only, broken = std::min(reasons, 60);
  append(table.head, {number_head("gain"),
                      {.text = "step"},
                      {.text = "because", .from = reasons - 20},
                      {.text = "broke", .from = broken}});
  for (const Stair& stair : stairs) {
    const bool first = table.rows.empty();
    auto& row = table.rows.emplace_back();
    row.push_back(time_cell(result, stair.seconds));
    const double rate = stair.seconds ? speed.rate(stair.seconds->value) : 0;
    row.push_back(rate > 0 ? number_cell(rate, significant(rate / unit.factor, 3))
                           : HtmlCell{"", "n"});
    add_figures(result, stair, figures, row);
    row.push_back(gain_cell(stair.gain));
    append(row, step_cells(result, stair, first));
  }
  return table;
}

Json staircase_json(const StudyResult& result, const Claims& claims) {
  const Claim* const more = claim_of(claims, Claim::Kind::more);
  Json json{{"steps", Json::array()}, {"limit", Json()}, {"more", Json()}};
  if (result.limit && !result.limit->parts.empty())
    json["limit"] = {{"part", result.limit->parts.front().part},
                     {"busy", encode(result.limit->parts.front().share)}};
  if (more)
    json["more"] = {{"at_most", encode(more->figures.at("at_most").value)}, {"by", more->subject}};
  json["absent"] = result.no_staircase_because;
  if (!result.staircase) return json;
  for (const Stair& stair : result.staircase->stairs) json["steps"].push_back(stair_json(stair));
  json.update(encode(*result.staircase));
  return json;
}

}  // namespace rooftune::report
