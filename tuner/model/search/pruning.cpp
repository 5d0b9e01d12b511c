#include "search/pruning.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "core/list.h"
#include "core/units.h"

namespace rooftune::search {
namespace {

/// A configuration must be slower than the best's interval by this share to be left out.
constexpr double noise = 0.02;
/// How many configurations one call of certain() looks at.
constexpr uint64_t most_steps = 4000;
/// How many combinations of knob values a space's bound may try, each some 10 us.
constexpr double most_restrictions = 50000;

bool refutes(const Trial& trial, const LeastTime& least) {
  // A trial dropped early has no time that counts.
  return trial.ok() && trial.measurement->complete() && trial.seconds() < least.time.value();
}

Restriction restriction(const Configuration& configuration, const Knob* threads,
                        const LeastMovements& movements, const Roofline& roofline) {
  return {threads ? int(configuration.at(threads->name).integer()) : roofline.threads,
          movements.compute(configuration, roofline.traffic)};
}

}  // namespace

LeastTimeOf least_times(const SearchSpace& space, const LeastMovements& movements,
                        const Roofline& roofline) {
  // A GPU's threads are not the host's.
  if (roofline.machine.is_gpu()) return {};
  const Knob* threads = thread_knob(space.knobs());
  // A model asks for thousands of candidates again and again, and they differ in few of these
  // knobs.
  using Known = ByName<std::optional<LeastTime>>;
  return [&movements, &roofline, threads, knobs = bound_knobs(space, movements),
          known = std::make_shared<Known>()](const Configuration& configuration) {
    std::string values;
    for (const std::string& knob : knobs) values += to_text(configuration.at(knob)) + ' ';
    const auto [entry, is_new] = known->emplace(std::move(values), std::nullopt);
    if (!is_new) return entry->second;
    if (const auto bound = roofline.bound(restriction(configuration, threads, movements, roofline)))
      entry->second = LeastTime{Seconds(bound->time.low.value() / (1 + rate_margin)),
                                fmt::format("{}, taken {:.0f} % faster than it ever was",
                                            bound->because, 100 * rate_margin)};
    return entry->second;
  };
}

TextSet bound_knobs(const SearchSpace& space, const LeastMovements& movements) {
  TextSet names = movements.knobs();
  if (const Knob* threads = thread_knob(space.knobs())) names.insert(threads->name);
  return names;
}

std::optional<RestrictedBound> space_bound(const SearchSpace& space,
                                           const LeastMovements& movements,
                                           const Roofline& roofline) {
  if (roofline.machine.is_gpu() || movements.knobs().empty()) return std::nullopt;
  const Knob* threads = thread_knob(space.knobs());
  std::vector<const Knob*> knobs;
  double combinations = 1;
  for (const std::string& name : bound_knobs(space, movements)) {
    knobs.push_back(space.knob(name));
    combinations *= double(knobs.back()->values.size());
  }
  if (combinations > most_restrictions) return std::nullopt;
  std::optional<RestrictedBound> least;
  Configuration configuration = space.baseline();
  const std::function<void(size_t)> walk = [&](size_t next) {
    if (next < knobs.size()) {
      for (const Value& value : knobs[next]->values) {
        configuration.set(knobs[next]->name, value);
        walk(next + 1);
      }
      return;
    }
    auto bound = roofline.bound(restriction(configuration, threads, movements, roofline));
    if (bound && (!least || bound->time.time < least->time.time)) least = std::move(bound);
  };
  walk(0);
  return least;
}

void Pruning::learn(const History& history) {
  for (; learnt_ < history.size(); ++learnt_) {
    const Trial& trial = history.trials()[learnt_];
    if (!trial.ok() || !least_ || !refutation_.empty()) continue;
    const auto least = least_(trial.configuration);
    if (least && refutes(trial, *least))
      refutation_ = fmt::format(
          "trial {} took {} although {} takes {}: the assumptions do not hold here, so nothing is "
          "pruned any more",
          trial.index, to_text(Seconds(trial.seconds())), least->because, to_text(least->time));
  }
}

std::string Pruning::proof(const Configuration& configuration, const History& history) {
  learn(history);
  const Trial* best = history.best();
  if (!least_ || !best || !refutation_.empty()) return {};
  const auto least = least_(configuration);
  const double limit = best->measurement->seconds.high * (1 + noise);
  if (!least || least->time.value() <= limit) return {};
  return fmt::format("cannot take less than {}: {}; the best takes {}", to_text(least->time),
                     least->because, to_text(Seconds(best->seconds())));
}

const Configuration* Pruning::reopened(const History& history) {
  learn(history);
  if (refutation_.empty()) return nullptr;
  // A configuration reopened and tried has a later trial that was not pruned.
  for (const Trial& trial : history.trials())
    if (trial.outcome == Outcome::pruned &&
        history.find(trial.configuration)->outcome == Outcome::pruned)
      return &trial.configuration;
  return nullptr;
}

bool Pruning::certain(const History& history) {
  learn(history);
  if (!least_ || !history.best() || !refutation_.empty()) return false;
  // Proofs stay valid while the best only improves, so the walk never goes back.
  for (uint64_t step = 0; cursor_ < space_.size() && step < most_steps; ++step, ++cursor_) {
    const Configuration configuration = space_.configuration(cursor_);
    if (history.tried(configuration)) continue;
    if (proof(configuration, history).empty()) return false;
    ++proven_;
  }
  return cursor_ == space_.size();
}

}  // namespace rooftune::search
