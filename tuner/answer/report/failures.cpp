// A study's failed configurations in a sentence: by outcome, named by the knob values that tell
// them from all others.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/error.h"
#include "core/list.h"
#include "core/text.h"
#include "report/sentences.h"

namespace rooftune::report {
namespace {

/// If there are more groups, only their names are told.
constexpr size_t most_detailed = 2;
/// A group with more values gets no name from them.
constexpr size_t most_values = 4;

std::string group_text(Outcome outcome, size_t n) {
  using enum Outcome;
  if (outcome == wrong_result) return plural(n, "wrong result");
  return fmt::format("{} {}", n,
                     outcome == build_failed    ? "did not build"
                     : outcome == out_of_memory ? "ran out of memory"
                                                : readable(to_text(outcome)));
}

/// Calls `use` with the knob's value in each trial that has one, until `use` says no.
bool each_value(const std::string& knob, const TrialRefs& trials, const auto& use) {
  return all_of(trials, [&](const Trial* trial) {
    return !trial->configuration.has(knob) || use(trial->configuration.at(knob));
  });
}

/// "part=1, 2, 3": the knob with the fewest values among those whose values nothing else has; empty
/// without one. A few trials tell enough about most knobs.
std::string by_one_knob(const StudyResult& result, const TrialRefs& group,
                        const TrialRefs& others) {
  std::string name;
  std::pair<size_t, size_t> least{most_values, SIZE_MAX};
  for (const Knob& knob : result.space.knobs) {
    std::set<Value> values, all;
    const bool few = each_value(knob.name, group, [&](const Value& value) {
      values.insert(value);
      return values.size() <= most_values;
    });
    if (!few || values.empty()) continue;
    all = values;
    const bool own = each_value(knob.name, others, [&](const Value& value) {
      all.insert(value);
      return !values.contains(value);
    });
    // Not where every trial has its own value: then any knob would do.
    const std::pair size{values.size(), all.size()};
    if (!own || size >= least) continue;
    least = size;
    name = knob.name + "=" + joined(texts_of(values));
  }
  return name;
}

std::string name_of(const StudyResult& result, const TrialRefs& group, const TrialRefs& others) {
  if (others.empty()) return {};
  const std::string name = by_one_knob(result, group, others);
  if (!name.empty()) return name;
  return fmt::format("trial {}{}", group.front()->index, group.size() > 1 ? " and others" : "");
}

/// What all trials in a group say; for a wrong result the detail is only its first wrong element,
/// no cause.
std::string common_detail(const TrialRefs& group) {
  const std::string& detail = group.front()->detail;
  const bool same = all_of(group, [&](const Trial* trial) { return trial->detail == detail; });
  constexpr size_t shown = 80;
  return same && group.front()->outcome != Outcome::wrong_result ? excerpt(detail, shown) : "";
}

}  // namespace

std::string caution_sentence(const StudyResult& result) {
  const Trial* best = result.best ? find_trial(result, result.best->trial) : nullptr;
  return best && best->ok() && !best->detail.empty() ? "of the best: " + best->detail : "";
}

std::string failure_sentence(const StudyResult& result) {
  // A baseline that failed is tried again.
  ByName<const Trial*> latest;
  for (const Trial& trial : result.trials) latest[trial.configuration.key()] = &trial;
  TrialRefs tried;
  for (const Trial& trial : result.trials)
    if (trial.outcome != Outcome::pruned && latest.at(trial.configuration.key()) == &trial)
      tried.push_back(&trial);
  std::set<Outcome> outcomes;
  TrialRefs all_failed;
  for (const Trial* trial : tried) {
    if (trial->outcome == Outcome::ok) continue;
    outcomes.insert(trial->outcome);
    all_failed.push_back(trial);
  }
  if (all_failed.empty()) return {};
  Texts texts;
  for (const Outcome outcome : outcomes) {
    TrialRefs group, others;
    for (const Trial* trial : tried) (trial->outcome == outcome ? group : others).push_back(trial);
    Texts about{name_of(result, group, others)};
    if (outcomes.size() <= most_detailed) about.push_back(common_detail(group));
    std::erase(about, "");
    std::string& text = texts.emplace_back(group_text(outcome, group.size()));
    if (!about.empty()) text += fmt::format(" ({})", joined(about, ": "));
  }
  return fmt::format("{} of {} configurations failed: {}; tune explain {} says more",
                     all_failed.size(), tried.size(), joined(texts), all_failed.front()->index);
}

}  // namespace rooftune::report
