// A study's tables: counted figures beside the least that any variant needs, several inputs, and
// the trials that no other trial beats in all figures.
#include "report/study_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "core/fields.h"
#include "core/list.h"
#include "core/units.h"
#include "report/figures.h"
#include "report/sentences.h"
#include "report/study_evidence.h"

namespace rooftune::report {
namespace {

std::string walls_text(const StudyResult& result, const Counts& counts) {
  const std::string level = charted_level(result);
  Texts texts;
  for (const CountedWall& wall : counted_walls(counts, level, least_bytes(result, level)))
    if (wall.bytes > 0) texts.push_back(wall.name + " " + amount_text(wall.bytes, byte_unit));
  return texts.empty() ? "" : level + ": " + joined(texts);
}

std::string counted_text(const std::optional<Estimate>& figure, std::string_view unit) {
  if (!figure) return "not counted";
  const auto text = [&](double value) {
    return unit == byte_unit ? amount_text(value, unit) : count_text(value);
  };
  if (*figure == Estimate::exact(figure->value)) return text(figure->value);
  return fmt::format("{} [{}, {}]", text(figure->value), text(figure->low), text(figure->high));
}

std::string operations_text(const Counts& counts) {
  Texts texts;
  for (const auto& [precision, kinds] : counts.operations) {
    Texts figures;
    for (const auto& [kind, figure] : kinds)
      figures.push_back(count_text(figure.value) + " " + kind);
    if (!kinds.empty()) texts.push_back(precision + ": " + joined(figures));
  }
  return joined(texts, "; ");
}

Texts provenance_of(const Counts& counts) {
  Texts sentences;
  const auto add = [&](const std::string& quantity, const Source& source) {
    if (!source.text.empty())
      sentences.push_back(fmt::format("{}: {}, {}", quantity, to_text(source.kind), source.text));
  };
  if (!counts.operations.empty()) add("operations", counts.operations_source);
  if (counts.loads || counts.stores) add("accesses", counts.access_source);
  std::vector<std::pair<std::string, const Source*>> groups;
  for (const auto& [level, count] : counts.traffic) {
    auto* const same = first_where(groups, [&, &source = count.source](const auto& group) {
      return group.second->text == source.text;
    });
    if (same)
      same->first += ", " + level;
    else
      groups.emplace_back(level, &count.source);
  }
  for (const auto& [levels, source] : groups) add("traffic of " + levels, *source);
  append(sentences, counts.notes);
  return sentences;
}

using Counted = std::optional<Estimate>;

const Counts* counts_of(const std::optional<Contender>& contender) {
  return contender && contender->counts ? &*contender->counts : nullptr;
}

HtmlCell counted_cell(const Counted& figure, std::string_view unit) {
  if (!figure) return {"-", "n"};
  HtmlCell cell = number_cell(figure->value, counted_text(figure, unit));
  cell.brief = counted_text(Estimate::exact(figure->value), unit);
  return cell;
}

/// Figures for best and baseline, a row for each quantity that was counted in either.
struct CountTable {
  const StudyResult& result;
  const Counts *best, *baseline;
  HtmlTable table = {
      .head = {{"per call"}, number_head("least"), number_head("best"), number_head("baseline")}};

  /// `least`: what any variant needs, as the kernel declares it; `figure`: picks a Counted from
  /// Counts.
  void add(const std::string& quantity, std::string_view unit, std::optional<double> least,
           const auto& figure) {
    const Counted of_best = best ? figure(*best) : Counted(),
                  of_baseline = baseline ? figure(*baseline) : Counted();
    if (!of_best && !of_baseline) return;
    HtmlCell cell = least ? counted_cell(Estimate::exact(*least), unit) : HtmlCell{"", "n"};
    cell.ink = Ink::faint;
    table.rows.push_back(
        {{quantity}, cell, counted_cell(of_best, unit), counted_cell(of_baseline, unit)});
  }

  void add_flops() {
    ByName<std::optional<double>> least;
    for (const Counts* counts : {best, baseline})
      if (counts)
        for (const auto& [precision, kinds] : counts->operations) least[precision];
    for (const auto& [precision, work] : result.roofline.work.least)
      if (work.value() > 0 || least.contains(precision)) least[precision] = work.value();
    for (const auto& [precision, work] : least)
      add(fmt::format("{} {}s", precision, work_unit(precision)), work_unit(precision), work,
          [&](const Counts& counts) {
            return counts.operations.empty() || is_of_integers(precision)
                       ? Counted()
                       : Counted(flops(counts, precision));
          });
  }

  void add_accesses(const std::string& name, std::optional<AccessCount> Counts::*kind) {
    const auto figure = [&](Estimate AccessCount::*of) {
      return [=](const Counts& counts) {
        return counts.*kind ? Counted((*(counts.*kind)).*of) : Counted();
      };
    };
    add(name, "", std::nullopt, figure(&AccessCount::instructions));
    add("bytes of " + name, byte_unit, std::nullopt, figure(&AccessCount::bytes));
  }

  void add_levels() {
    for (const MemoryLevel& level : result.roofline.machine.levels) {
      const LevelTraffic least = result.roofline.least_traffic(level.name);
      const auto add_bytes = [&](const char* way, Bytes at_least, const auto& of) {
        add(level.name + way, byte_unit, at_least.value(), [&](const Counts& counts) {
          const auto* const found = value_at(counts.traffic, level.name);
          return found ? Counted(std::invoke(of, *found)) : Counted();
        });
      };
      add_bytes(" bytes read", least.read, &LevelCount::read);
      add_bytes(" bytes written", least.write, &LevelCount::write);
      if (least.either.value() > 0) add_bytes(" bytes both", least.total(), &LevelCount::total);
    }
  }
};

std::string over_bound(const std::optional<Estimate>& seconds, const Bound& bound) {
  return seconds && bound.known() ? ratio_text(seconds->value / bound.time.value()) : "-";
}

Json gap_json(const std::optional<Estimate>& seconds, const Bound& bound) {
  return seconds ? encode(*seconds / bound.time.value()) : Json();
}

Json row_json(const InputRow& row) {
  return {
      {"name", row.name},
      {"problem", facts_json(row.problem)},
      {"bound", {{"seconds", row.bound.time.value()}, {"ceiling", row.bound.ceiling}}},
      {"baseline", {{"seconds", encode(row.baseline)}, {"gap", gap_json(row.baseline, row.bound)}}},
      {"best", {{"seconds", encode(row.best)}, {"gap", gap_json(row.best, row.bound)}}},
      {"speedup", encode(row.speedup)}};
}

/// Whether `a` is as good as `b` in all goals, and better in at least one.
bool beats(const Trial& a, const Trial& b, const ByName<bool>& goals) {
  const double times[] = {a.seconds(), b.seconds()};
  if (times[0] > times[1]) return false;
  bool better = times[0] < times[1];
  for (const auto& [name, more] : goals) {
    const double sign = more ? -1 : 1;
    const double own = sign * a.measurement->figures.at(name),
                 other = sign * b.measurement->figures.at(name);
    if (own > other) return false;
    better = better || own < other;
  }
  return better;
}

bool has_all(const Trial& trial, const ByName<bool>& goals) {
  return trial.ok() && all_of(goals, [&](const auto& goal) {
           return trial.measurement->figures.contains(goal.first);
         });
}

bool has_bounds(const InputsAnswer& answer) {
  return all_of(answer.rows, [](const InputRow& row) { return row.bound.known(); });
}

}  // namespace

std::optional<Section> counted_section(const StudyResult& result) {
  CountTable counted{result, counts_of(result.best), counts_of(result.baseline)};
  const Counts* const shown = counted.best ? counted.best : counted.baseline;
  if (!shown) return std::nullopt;
  counted.add_flops();
  counted.add_accesses("loads", &Counts::loads);
  counted.add_accesses("stores", &Counts::stores);
  counted.add_levels();
  Section section{"What was counted", "", counted.table};
  if (const std::string operations = operations_text(*shown); !operations.empty())
    section.remarks.push_back("Operations. " + operations + ".");
  if (const std::string walls = walls_text(result, *shown); !walls.empty())
    section.remarks.push_back("Walls in the counted traffic. " + walls + ".");
  for (const std::string& sentence : provenance_of(*shown))
    section.remarks.push_back(sentence + ".");
  return section;
}

std::string inputs_sentence(const InputsAnswer& answer) {
  const std::string aim = described(answer.aim);
  std::string text = fmt::format("One configuration for {} inputs: ", answer.rows.size());
  if (!answer.gap) return text + "none could be measured on all of them.";
  text += answer.speedup ? ratio_interval(*answer.speedup) + " faster than the baseline, "
                         : std::string("the baseline is the best that was found, ");
  // Without bounds a gap is a time in seconds.
  return text + (has_bounds(answer) ? fmt::format("{} is {}.", aim, ratio_interval(*answer.gap))
                                    : fmt::format("the geometric mean of the times is {}.",
                                                  seconds_interval(*answer.gap)));
}

HtmlTable inputs_table(const InputsAnswer& answer) {
  HtmlTable table{.head = {{"input"},
                           number_head("bound"),
                           number_head("best"),
                           number_head("gap"),
                           number_head("baseline"),
                           number_head("gap"),
                           number_head("faster", page_only)}};
  const auto time = [](const std::optional<Estimate>& seconds, Ink ink) {
    return HtmlCell{.text = seconds ? seconds_interval(*seconds) : "-",
                    .classes = "n",
                    .brief = seconds ? seconds_text(seconds->value) : "",
                    .ink = ink};
  };
  for (const InputRow& row : answer.rows) {
    const bool shown = table.rows.size() == answer.shown;
    table.rows.push_back(
        {{.text = fmt::format("{} {}", table.rows.size() + 1, row.name),
          .classes = "w",
          .ink = shown ? Ink::strong : Ink::none},
         {row.bound.known() ? seconds_text(row.bound.time.value()) : "-", "n"},
         time(row.best, Ink::green),
         {.text = over_bound(row.best, row.bound), .classes = "n", .ink = Ink::green},
         time(row.baseline, Ink::none),
         {over_bound(row.baseline, row.bound), "n"},
         {row.speedup ? ratio_interval(*row.speedup) : "-", "n"}});
  }
  return table;
}

std::string shown_input_sentence(const InputsAnswer& answer) {
  return fmt::format("What follows is input {} ({}); tune report --input N shows another",
                     answer.shown + 1, answer.rows[answer.shown].name);
}

Json to_json(const InputsAnswer& answer) {
  return {{"objective", to_text(answer.aim)},
          {"inputs", members(answer.rows, row_json)},
          {"gap", has_bounds(answer) ? encode(answer.gap) : Json()},
          {"baseline_gap", has_bounds(answer) ? encode(answer.baseline_gap) : Json()},
          {"speedup", encode(answer.speedup)},
          {"shown", answer.shown + 1}};
}

const NamedNumbers& further_figures(const StudyResult& result, uint64_t trial) {
  static const NamedNumbers none;
  const Trial* const found = find_trial(result, trial);
  return found && found->measurement ? found->measurement->figures : none;
}

TrialRefs trade_offs(const StudyResult& result) {
  TrialRefs all, unbeaten;
  if (result.goals.empty()) return unbeaten;
  for (const Trial& trial : result.trials)
    if (has_all(trial, result.goals)) all.push_back(&trial);
  stable_sort(all, {}, [](const Trial* trial) { return trial->seconds(); });
  for (const Trial* trial : all)
    if (none_of(all, [&](const Trial* other) { return beats(*other, *trial, result.goals); }))
      unbeaten.push_back(trial);
  return unbeaten;
}

HtmlTable trade_offs_table(const StudyResult& result) {
  constexpr size_t most = 12;
  HtmlTable table{.head = {{"trade-off"}, number_head(figure_name(result.own_figure))}};
  for (const auto& [name, more] : result.goals)
    table.head.push_back(
        number_head(fmt::format("{}, {} is better", name, more ? "more" : "less")));
  table.head.push_back({"configuration"});
  for (const Trial* trial : trade_offs(result)) {
    if (table.rows.size() == most) break;
    const Estimate& seconds = trial->measurement->seconds;
    auto& row = table.rows.emplace_back();
    row.push_back({fmt::format("trial {}", trial->index)});
    row.push_back(number_cell(seconds.value, figure_text(result.own_figure, seconds.value)));
    for (const auto& [name, ignored] : result.goals) {
      const double value = trial->measurement->figures.at(name);
      row.push_back(number_cell(value, significant(value, 4)));
    }
    row.push_back({changed_knobs(result, trial->configuration), "w", "", true});
  }
  return table;
}

}  // namespace rooftune::report
