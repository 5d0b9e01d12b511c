// The search's loop: ask, evaluate and record until there is a reason to stop.
#include "study/search_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>

#include "core/list.h"
#include "core/units.h"
#include "os/interruption.h"
#include "space/knob.h"
#include "study/findings.h"
#include "trial/statistics.h"

namespace rooftune::study {
namespace {

/// So many samples confirm a closed gap: one lucky trial among hundreds must not end a search.
constexpr int confirming_rounds = 12;

uint64_t pruned_trials(const History& history) {
  const auto counts = history.counts();
  auto* found = value_at(counts, Outcome::pruned);
  return found ? uint64_t(*found) : 0;
}

}  // namespace

SearchEnd cut_short() {
  return {{StopReason::interrupted,
           "interrupted by the user; everything measured so far is kept, and the same command goes "
           "on",
           {}}};
}

SearchLoop::SearchLoop(SearchSetting setting, SearchOptions options)
    : refuting_(setting.evaluator, setting.recorder),
      setting_{setting.space, setting.strategy, setting.bound,
               refuting_,     setting.recorder, setting.schedule},
      options_(std::move(options)),
      pruning_(setting_.space, options_.least_time) {}

SearchEnd SearchLoop::run() {
  first_of_run_ = history().size();
  look_again();
  // What an earlier run left from its batch is built one by one, to find what ended that run.
  for (const Configuration& one : record().proposed) built_.insert(one.key());
  SearchEnd end;
  try {
    end = search();
    if (end.reason != StopReason::interrupted && end.reason != StopReason::baseline_failed) {
      try_interrupted();
      setting_.schedule.keep_for_counts(likely_counts());
      finals();
    }
  } catch (const Interrupted&) {
    end = cut_short();
  }
  end.evaluated = history().size() - first_of_run_;
  end.refuted = pruning_.refutation();
  return end;
}

void SearchLoop::show(Progress::Phase phase, const Trial* latest) const {
  options_.progress({history(), latest, phase, setting_.schedule.elapsed(),
                     !in_finals(phase) || options_.budget.time ? share_done() : 1});
}

SearchEnd SearchLoop::search() {
  try {
    SearchEnd end = searched();
    name_absent();
    dismiss();
    return end;
  } catch (...) {
    dismiss();
    throw;
  }
}

SearchEnd SearchLoop::searched() {
  propose_first();
  for (;;) {
    listen();
    if (auto stopped = stop()) return *stopped;
    feed();
    const auto configuration = has_room() ? next() : std::nullopt;
    if (!configuration && wait_for_others()) continue;
    if (!configuration)
      return {{StopReason::exhausted,
               fmt::format("all {} configurations of the space were tried", setting_.space.size()),
               {}}};
    if (prune(*configuration)) continue;
    in_time(time_for(*configuration), [&] {
      build_ahead(*configuration);
      evaluate(*configuration);
    });
    options_.between_trials();
  }
}

double SearchLoop::time_for(const Configuration& configuration) const {
  if (configuration == setting_.space.baseline() || forced()) return HUGE_VAL;
  return setting_.schedule.left(reserved() / 2);
}

std::optional<Configuration> SearchLoop::next() {
  // Every speed-up and ledger refers to the baseline, so it never depends on the strategy.
  const Configuration baseline = setting_.space.baseline();
  if (!proposed_.tried(baseline)) return baseline;
  if (const Configuration* configuration = forced()) return *configuration;
  if (auto configuration = back_here()) return configuration;
  if (const Configuration* configuration = pruning_.reopened(proposed_)) return *configuration;
  if (const Configuration* configuration = pending()) return *configuration;
  return propose();
}

const Configuration* SearchLoop::pending() const {
  for (const Configuration& configuration : record().proposed)
    if (!proposed_.tried(configuration)) return &configuration;
  return nullptr;
}

std::optional<Configuration> SearchLoop::propose() {
  Configurations all = in_hand();
  append(all, back_);
  const auto others = ptrdiff_t(all.size());
  setting_.strategy.fill(all, all.size() + batch_size(pace(proposed_), options_.builders),
                         setting_.space, proposed_, options_.seed);
  Proposed together{Configurations(all.begin() + others, all.end())};
  const auto& configurations = together.configurations;
  if (configurations.empty()) return std::nullopt;
  const Configuration first = configurations.front();
  if (configurations.size() > 1) setting_.recorder.append(std::move(together));
  return first;
}

void SearchLoop::propose_first() {
  if (options_.builders < 2 || pending()) return;
  History supposed = proposed_;
  Proposed together;
  const auto add = [&](const Configuration& configuration) {
    if (supposed.tried(configuration)) return;
    together.configurations.push_back(configuration);
    Trial trial;
    trial.configuration = configuration;
    supposed.append(std::move(trial));
  };
  add(setting_.space.baseline());
  for (const Configuration& configuration : options_.first) add(configuration);
  // A compiler beside the baseline's is free.
  if (auto& all = together.configurations; proposed_.size() == 0 && all.size() == 1)
    setting_.strategy.fill(all, 2, setting_.space, proposed_, options_.seed);
  if (together.configurations.size() > 1) setting_.recorder.append(std::move(together));
}

void SearchLoop::build_ahead(const Configuration& next) {
  if (options_.builders < 2 || built_.contains(next.key())) return;
  Configurations coming;
  for (const Configuration& one : record().proposed)
    if (!proposed_.tried(one) && !built_.contains(one.key()) &&
        (forced() || pruning_.proof(one, proposed_).empty()))
      coming.push_back(one);
  const double most = forced() ? HUGE_VAL : affordable();
  if (most < double(coming.size())) coming.resize(size_t(std::max(0.0, most)));
  if (coming.size() < 2) return;
  show(Progress::Phase::build);
  setting_.evaluator.build(coming);
  for (const Configuration& one : coming) built_.insert(one.key());
}

double SearchLoop::affordable() const {
  const Budget& budget = options_.budget;
  const double most = evaluations_left();
  return budget.time ? std::min(most, setting_.schedule.left(reserved()) / pace(proposed_).total)
                     : most;
}

double SearchLoop::evaluations_left() const {
  const auto& most = options_.budget.evaluations;
  return most ? double(*most + pruned_trials(proposed_)) - double(proposed_.size()) : HUGE_VAL;
}

const Configuration* SearchLoop::forced() const {
  for (const Configuration& configuration : options_.first)
    if (!proposed_.tried(configuration)) return &configuration;
  return nullptr;
}

bool SearchLoop::prune(const Configuration& configuration) {
  // The user's configurations and the published steps are measured despite a proof.
  return configuration != setting_.space.baseline() && !forced() && prune_proven(configuration);
}

bool SearchLoop::prune_proven(const Configuration& configuration) {
  const std::string proof = pruning_.proof(configuration, proposed_);
  if (proof.empty()) return false;
  Trial trial;
  trial.configuration = configuration;
  trial.outcome = Outcome::pruned;
  trial.detail = proof;
  trial.started = history().trials().back().started;
  remember(std::move(trial));
  return true;
}

void SearchLoop::remember(Trial trial) {
  trial.index = history().size();
  if (trial.because.empty()) proposed_.append(trial);
  const bool is_baseline = trial.configuration == setting_.space.baseline();
  setting_.recorder.append(std::move(trial));
  if (is_baseline) look_again();
  show(Progress::Phase::search, &history().trials().back());
}

std::string SearchLoop::certificate() {
  if (!proposed_.tried(setting_.space.baseline()) || !pruning_.certain(proposed_)) return {};
  const uint64_t pruned = pruned_trials(proposed_), left = pruning_.proven();
  if (pruned + left == 0) return {};
  return fmt::format(
      "certified: no configuration that was not measured can beat the best by more than the noise; "
      "{} of {} are proven slower, the others were tried",
      pruned + left, setting_.space.size());
}

void SearchLoop::evaluate(const Configuration& configuration, const std::string& because) {
  show(Progress::Phase::search);
  const uint64_t index = history().size();
  const auto watched = options_.watch ? options_.watch() : Watching();
  setting_.recorder.append(Started{configuration, index});
  const Trial* incumbent = proposed_.best();
  try {
    Trial trial = setting_.evaluator.evaluate(
        configuration, incumbent ? std::optional(incumbent->seconds()) : std::nullopt);
    trial.because = because;
    remember(std::move(trial));
  } catch (...) {
    give_up(configuration, index);
    throw;
  }
  // Raw, for later doubts about a figure.
  if (watched) setting_.recorder.append(TrialEnvironment{index, watched()});
}

void SearchLoop::give_up(const Configuration& configuration, uint64_t index) noexcept {
  try {
    setting_.recorder.append(GivenUp{configuration, index});
  } catch (const std::exception&) {
    // On a full disk the cause of the run's end reports itself.
  }
}

void SearchLoop::look_again() {
  // What failed before the baseline ran well may have failed for its surroundings: the compiler, a
  // missing library, a machine without memory.
  uint64_t well = first_of_run_;
  for (const Trial& trial : std::views::reverse(history().trials()))
    if (trial.configuration == setting_.space.baseline() && !failed(trial.outcome))
      well = trial.index;
  proposed_ = History();
  for (const Trial& trial : history().trials())
    if (trial.because.empty() && !(failed(trial.outcome) && trial.index < well))
      proposed_.append(trial);
  for (const Configuration& configuration : options_.interrupted_trials) {
    if (proposed_.tried(configuration)) continue;
    Trial absent;
    absent.configuration = configuration;
    absent.outcome = Outcome::crashed;
    proposed_.append(std::move(absent));
  }
}

void SearchLoop::try_interrupted() {
  for (const Configuration& configuration : options_.interrupted_trials) {
    options_.throw_if_interrupted();
    if (history().tried(configuration)) continue;
    in_time(time_for(configuration), [&] { evaluate(configuration); });
  }
}

std::optional<double> SearchLoop::closed_gap() {
  const Trial* best = history().best();
  const double target = options_.target_gap * setting_.bound.time.value();
  if (!best || !history().tried(setting_.space.baseline()) || best->seconds() > target)
    return std::nullopt;
  if (doubted_ == best->index) return std::nullopt;
  const Rounds rounds = setting_.evaluator.race(
      {best->configuration}, {confirming_rounds, options_.seed + history().size()});
  if (!rounds.refuted.empty()) {
    look_again();
    return std::nullopt;
  }
  Numbers seconds;
  for (const auto& round : rounds.seconds) seconds.push_back(round.front());
  const double again = seconds.empty() ? HUGE_VAL : quantile(seconds, 0.25);
  // If the best is faster than the fastest ceiling allows, the bound is wrong and closes nothing.
  if (again <= target && again >= setting_.bound.low.value())
    return again / setting_.bound.time.value();
  doubted_ = best->index;
  return std::nullopt;
}

std::optional<SearchEnd> SearchLoop::stop() {
  const auto end = [](StopReason reason, std::string sentence) {
    return SearchEnd{{reason, std::move(sentence), {}}};
  };
  if (options_.interrupted()) return cut_short();
  const Trial* baseline = proposed_.find(setting_.space.baseline());
  if (!baseline) return std::nullopt;
  if (failed(baseline->outcome))
    return end(StopReason::baseline_failed,
               "the baseline failed, and nothing else was tried: the same command tries it again");
  if (forced()) return std::nullopt;
  if (const auto gap = closed_gap())
    return end(StopReason::closed,
               fmt::format("the gap is closed: {:.3f} is within the target of {:.3f}", *gap,
                           options_.target_gap));
  if (const std::string proof = certificate(); !proof.empty())
    return end(StopReason::certified, proof);
  if (const std::string limit = spent(); !limit.empty())
    return end(StopReason::budget, fmt::format("the budget of {} is spent", limit));
  return std::nullopt;
}

std::string SearchLoop::spent() const {
  const Budget& budget = options_.budget;
  if (budget.evaluations && proposed_.size() - pruned_trials(proposed_) >= *budget.evaluations)
    return fmt::format("{} evaluations", *budget.evaluations);
  // Another trial begins only if more than half of it fits into the time left.
  if (setting_.schedule.left(reserved()) <= pace(proposed_).total / 2) return to_text(*budget.time);
  const Cost cost = history().cost();
  if (budget.device && cost.validate + cost.time >= budget.device->value())
    return to_text(*budget.device) + " of device time";
  return {};
}

double SearchLoop::likely_counts() const {
  return options_.counts ? likely_to_count(record(), setting_.space.baseline(), options_.builders)
                         : 0;
}

double SearchLoop::share_done() const {
  double share = 0;
  if (options_.budget.evaluations)
    share =
        double(proposed_.size() - pruned_trials(proposed_)) / double(*options_.budget.evaluations);
  share = std::max(share, setting_.schedule.share());
  if (options_.budget.device) {
    const Cost cost = history().cost();
    share = std::max(share, (cost.validate + cost.time) / options_.budget.device->value());
  }
  if (!options_.budget.evaluations && !options_.budget.time && !options_.budget.device)
    share = double(history().size()) / double(setting_.space.size());
  return std::min(share, 1.0);
}

}  // namespace rooftune::study
