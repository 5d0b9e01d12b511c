#include "report/trade_offs.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/figures.h"
#include "report/sentences.h"

namespace rooftune::report {
namespace {

/// `a` is as good as `b` in all goals, and better in one.
bool beats(const Trial& a, const Trial& b, const std::map<std::string, bool>& goals) {
  const double times[] = {a.measurement->seconds.value, b.measurement->seconds.value};
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

bool has_all(const Trial& trial, const std::map<std::string, bool>& goals) {
  return trial.ok() && std::ranges::all_of(goals, [&](const auto& goal) {
           return trial.measurement->figures.contains(goal.first);
         });
}

}  // namespace

const std::map<std::string, double>& further_figures(const StudyResult& result,
                                                     std::uint64_t trial) {
  static const std::map<std::string, double> none;
  const Trial* const found = find_trial(result, trial);
  return found && found->measurement ? found->measurement->figures : none;
}

std::vector<const Trial*> trade_offs(const StudyResult& result) {
  std::vector<const Trial*> all, unbeaten;
  if (result.goals.empty()) return unbeaten;
  for (const Trial& trial : result.trials)
    if (has_all(trial, result.goals)) all.push_back(&trial);
  std::ranges::stable_sort(all, {},
                           [](const Trial* trial) { return trial->measurement->seconds.value; });
  for (const Trial* trial : all)
    if (std::ranges::none_of(
            all, [&](const Trial* other) { return beats(*other, *trial, result.goals); }))
      unbeaten.push_back(trial);
  return unbeaten;
}

HtmlTable trade_offs_table(const StudyResult& result) {
  constexpr std::size_t most = 12;
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
