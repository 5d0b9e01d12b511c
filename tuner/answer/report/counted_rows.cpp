// Counted figures beside the least of any variant: one row per figure, for table and page.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/units.h"
#include "report/figures.h"
#include "report/study_evidence.h"

namespace rooftune::report {
namespace {

using Counted = std::optional<Estimate>;

const Counts* counts_of(const std::optional<Contender>& contender) {
  return contender && contender->counts ? &*contender->counts : nullptr;
}

Counted of_level(const Counts& counts, const std::string& level, Estimate LevelCount::*way) {
  const auto found = counts.traffic.find(level);
  return found == counts.traffic.end() ? Counted() : Counted(found->second.*way);
}

HtmlCell counted_cell(const Counted& figure, std::string_view unit) {
  if (!figure) return {"-", "n"};
  HtmlCell cell = number_cell(figure->value, counted_text(figure, unit));
  cell.brief = counted_text(Estimate::exact(figure->value), unit);
  return cell;
}

/// Figures of best and baseline, a row each where one of them was counted.
struct CountTable {
  const StudyResult& result;
  const Counts *best, *baseline;
  HtmlTable table = {
      .head = {{"per call"}, number_head("least"), number_head("best"), number_head("baseline")}};

  /// `least`: of any variant, as the kernel declares it; `figure`: of Counts, a Counted.
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
    std::map<std::string, std::optional<double>> least;
    for (const Counts* counts : {best, baseline})
      if (counts)
        for (const auto& [precision, kinds] : counts->operations) least[precision];
    for (const auto& [precision, work] : result.roofline.work.least)
      if (work.value() > 0 || least.contains(precision)) least[precision] = work.value();
    for (const auto& [precision, work] : least)
      add(precision + " flops", flop_unit, work, [&](const Counts& counts) {
        return counts.operations.empty() ? Counted() : Counted(flops(counts, precision));
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
      const auto figure = [&](Estimate LevelCount::*way) {
        return [&, way](const Counts& counts) { return of_level(counts, level.name, way); };
      };
      add(level.name + " bytes read", byte_unit, least.read.value(), figure(&LevelCount::read));
      add(level.name + " bytes written", byte_unit, least.write.value(),
          figure(&LevelCount::write));
    }
  }
};

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

std::string walls_text(const StudyResult& result, const Counts& counts) {
  const std::string level = charted_level(result);
  std::vector<std::string> texts;
  for (const CountedWall& wall : counted_walls(counts, level, least_bytes(result, level)))
    if (wall.bytes > 0) texts.push_back(wall.name + " " + to_text(Bytes(wall.bytes)));
  return texts.empty() ? "" : fmt::format("{}: {}", level, fmt::join(texts, ", "));
}

std::string counted_text(const std::optional<Estimate>& figure, std::string_view unit) {
  if (!figure) return "not counted";
  const auto text = [&](double value) {
    return unit == byte_unit ? to_text(Bytes(value)) : count_text(value);
  };
  if (*figure == Estimate::exact(figure->value)) return text(figure->value);
  return fmt::format("{} [{}, {}]", text(figure->value), text(figure->low), text(figure->high));
}

std::string operations_text(const Counts& counts) {
  std::vector<std::string> texts;
  for (const auto& [precision, kinds] : counts.operations) {
    std::vector<std::string> figures;
    for (const auto& [kind, figure] : kinds)
      figures.push_back(count_text(figure.value) + " " + kind);
    if (!kinds.empty()) texts.push_back(fmt::format("{}: {}", precision, fmt::join(figures, ", ")));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::vector<std::string> provenance_of(const Counts& counts) {
  std::vector<std::string> sentences;
  const auto add = [&](const std::string& quantity, const Source& source) {
    if (!source.text.empty())
      sentences.push_back(fmt::format("{}: {}, {}", quantity, to_text(source.kind), source.text));
  };
  if (!counts.operations.empty()) add("operations", counts.operations_source);
  if (counts.loads || counts.stores) add("accesses", counts.access_source);
  std::vector<std::pair<std::string, const Source*>> groups;
  for (const auto& [level, count] : counts.traffic) {
    const auto same =
        std::find_if(groups.begin(), groups.end(), [&, &source = count.source](const auto& group) {
          return group.second->text == source.text;
        });
    if (same == groups.end())
      groups.emplace_back(level, &count.source);
    else
      same->first += ", " + level;
  }
  for (const auto& [levels, source] : groups) add("traffic of " + levels, *source);
  sentences.insert(sentences.end(), counts.notes.begin(), counts.notes.end());
  return sentences;
}

}  // namespace rooftune::report
