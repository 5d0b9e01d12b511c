#include "report/counted_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/units.h"
#include "report/figures.h"

namespace rooftune::report {
namespace {

using Counted = std::optional<Estimate>;

const Counts* counts_of(const std::optional<Contender>& contender) {
  return contender && contender->counts ? &*contender->counts : nullptr;
}

Counted flops_of(const Counts* counts, const std::string& precision) {
  if (!counts || counts->operations.empty()) return std::nullopt;
  return flops(*counts, precision);
}

Counted of_level(const Counts* counts, const std::string& level, bool read) {
  if (!counts) return std::nullopt;
  const auto found = counts->traffic.find(level);
  if (found == counts->traffic.end()) return std::nullopt;
  return read ? found->second.read : found->second.write;
}

Counted bytes_of(const Counts* counts, bool loads) {
  if (!counts) return std::nullopt;
  const auto& accesses = loads ? counts->loads : counts->stores;
  return accesses ? Counted(accesses->bytes) : std::nullopt;
}

Counted instructions_of(const Counts* counts, bool loads) {
  if (!counts) return std::nullopt;
  const auto& accesses = loads ? counts->loads : counts->stores;
  return accesses ? Counted(accesses->instructions) : std::nullopt;
}

struct Pair {
  const Counts *best, *baseline;
};

void add_flops(const StudyResult& report, const Pair& pair, std::vector<CountedRow>& rows) {
  std::set<std::string> precisions;
  for (const auto& [precision, least] : report.roofline.work.least)
    if (least.value() > 0) precisions.insert(precision);
  for (const Counts* counts : {pair.best, pair.baseline})
    if (counts)
      for (const auto& [precision, kinds] : counts->operations) precisions.insert(precision);
  for (const std::string& precision : precisions) {
    CountedRow row{precision + " flops", "flop", std::nullopt, flops_of(pair.best, precision),
                   flops_of(pair.baseline, precision)};
    const auto least = report.roofline.work.least.find(precision);
    if (least != report.roofline.work.least.end()) row.least = least->second.value();
    rows.push_back(std::move(row));
  }
}

void add_levels(const StudyResult& report, const Pair& pair, std::vector<CountedRow>& rows) {
  for (const MemoryLevel& level : report.roofline.machine.levels) {
    const LevelTraffic least = report.roofline.least_traffic(level.name);
    for (const bool read : {true, false})
      rows.push_back({level.name + (read ? " bytes read" : " bytes written"), "B",
                      (read ? least.read : least.write).value(),
                      of_level(pair.best, level.name, read),
                      of_level(pair.baseline, level.name, read)});
  }
}

}  // namespace

std::vector<CountedRow> counted_rows(const StudyResult& report) {
  const Pair pair{counts_of(report.best), counts_of(report.baseline)};
  std::vector<CountedRow> rows;
  if (!pair.best && !pair.baseline) return rows;
  add_flops(report, pair, rows);
  for (const bool loads : {true, false}) {
    const char* const name = loads ? "loads" : "stores";
    rows.push_back({name, "", std::nullopt, instructions_of(pair.best, loads),
                    instructions_of(pair.baseline, loads)});
    rows.push_back({std::string("bytes of ") + name, "B", std::nullopt, bytes_of(pair.best, loads),
                    bytes_of(pair.baseline, loads)});
  }
  add_levels(report, pair, rows);
  std::erase_if(rows, [](const CountedRow& row) { return !row.best && !row.baseline; });
  return rows;
}

std::vector<SampleRow> sample_rows(const StudyResult& report) {
  std::vector<SampleRow> rows;
  if (report.sample.empty()) return rows;
  const std::string level = charted_level(report);
  const auto add = [&](const std::string& subject, const Contender& contender) {
    if (!contender.counts) return;
    SampleRow row{subject, &contender, flops(*contender.counts), std::nullopt, {}};
    const auto& from = report.baseline ? report.baseline : report.best;
    row.difference =
        difference_text(contender.configuration, from ? from->configuration : Configuration());
    if (!report.baseline && subject == "best") row.difference = "(the others differ from it)";
    const Counted read = of_level(&*contender.counts, level, true);
    const Counted written = of_level(&*contender.counts, level, false);
    if (read && written)
      row.bytes = Estimate{read->value + written->value, read->low + written->low,
                           read->high + written->high};
    rows.push_back(std::move(row));
  };
  if (report.best) add("best", *report.best);
  if (report.baseline && (!report.best || report.best->trial != report.baseline->trial))
    add("baseline", *report.baseline);
  for (const Contender& other : report.sample) add(fmt::format("trial {}", other.trial), other);
  std::stable_sort(rows.begin(), rows.end(), [](const SampleRow& a, const SampleRow& b) {
    return a.contender->seconds.value < b.contender->seconds.value;
  });
  return rows;
}

std::string walls_text(const StudyResult& report, const Counts& counts) {
  const std::string level = charted_level(report);
  std::string text;
  for (const CountedWall& wall : counted_walls(counts, level, least_bytes(report, level)))
    if (wall.bytes > 0)
      text +=
          fmt::format("{}{} {}", text.empty() ? "" : ", ", wall.name, to_text(Bytes(wall.bytes)));
  return text.empty() ? text : level + ": " + text;
}

std::string counted_text(const std::optional<Estimate>& figure, const std::string& unit) {
  if (!figure) return "not counted";
  const auto text = [&](double value) {
    return unit == "B" ? to_text(Bytes(value)) : count_text(value);
  };
  if (*figure == Estimate::exact(figure->value)) return text(figure->value);
  return fmt::format("{} [{}, {}]", text(figure->value), text(figure->low), text(figure->high));
}

std::string operations_text(const Counts& counts) {
  std::string text;
  for (const auto& [precision, kinds] : counts.operations) {
    std::string list;
    for (const auto& [kind, figure] : kinds)
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", count_text(figure.value), kind);
    if (!list.empty()) text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", precision, list);
  }
  return text;
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
