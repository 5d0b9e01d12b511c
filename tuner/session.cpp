#include "session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/units.h"
#include "trial/statistics.h"

namespace rooftune {
namespace {

/// Interim analyses of a race: rounds after which it may end. Their number enters the correction.
constexpr std::array<int, 3> race_looks{12, 20, 30};
/// A race may take this share of the time budget, and at least this many seconds.
constexpr double race_share = 0.1, race_floor_seconds = 10;
/// Likewise for setting the winner's knobs back, which may have to build some variants.
constexpr double ablation_share = 0.2, ablation_floor_seconds = 20;
/// Winners that may be replaced because they are faster without one of their knobs.
constexpr std::size_t most_promotions = 2;
/// Samples that must confirm a closed gap: one lucky trial among hundreds must not end a search.
constexpr int confirming_rounds = 12;

std::uint64_t pruned_trials(const History& history) {
  const auto counts = history.counts();
  const auto found = counts.find(Outcome::pruned);
  return found == counts.end() ? 0 : static_cast<std::uint64_t>(found->second);
}

const Configuration& winner(const Race& race) { return race.configurations[judge(race).winner]; }

/// The same race, not yet run, with a challenger in it. One in which a finalist failed goes on
/// with the winner and the baseline alone.
Race with(const Race& earlier, Challenger challenger) {
  Race race = earlier;
  race.seconds.clear();
  race.inputs.clear();
  if (!earlier.fault.empty()) {
    race.configurations.assign(1, winner(earlier));
    if (earlier.with_baseline)
      race.configurations.insert(race.configurations.begin(), earlier.configurations.front());
  }
  race.fault.clear();
  if (std::none_of(race.configurations.begin(), race.configurations.end(),
                   [&](const Configuration& c) { return c == challenger.configuration; }))
    race.configurations.push_back(challenger.configuration);
  race.challengers.push_back(std::move(challenger));
  return race;
}

}  // namespace

const char* to_text(StopReason reason) {
  switch (reason) {
    case StopReason::closed:
      return "closed";
    case StopReason::certified:
      return "certified";
    case StopReason::budget:
      return "budget";
    case StopReason::certain:
      return "certain";
    case StopReason::exhausted:
      return "exhausted";
    case StopReason::interrupted:
      return "interrupted";
  }
  return "";
}

SessionEnd cut_short() {
  SessionEnd end;
  end.reason = StopReason::interrupted;
  end.sentence =
      "interrupted by the user; everything measured so far is kept, and the same command goes on";
  return end;
}

Session::Session(const SearchSpace& space, const Strategy& strategy, const Bound& bound,
                 Evaluator& evaluator, Memory& memory, SessionOptions options)
    : space_(space),
      strategy_(strategy),
      bound_(bound),
      evaluator_(evaluator),
      memory_(memory),
      options_(std::move(options)),
      pruning_(space, options_.least_time),
      begin_(std::chrono::steady_clock::now()) {}

SessionEnd Session::run(History& history, const Finish& earlier) {
  begin_ = std::chrono::steady_clock::now();
  earlier_seconds_ = history.cost().total;
  proposed_ = history.proposed();
  const std::size_t before = history.size();
  SessionEnd end;
  Finish done;
  try {
    end = search(history);
    if (history.size() == before) done = earlier;
    if (end.reason != StopReason::interrupted) complete(history, done);
  } catch (const Interrupted&) {
    if (history.size() == before) done = earlier;
    end = cut_short();
  }
  end.finish = std::move(done);
  end.evaluated = history.size() - before;
  end.refuted = pruning_.refutation();
  return end;
}

SessionEnd Session::search(History& history) {
  for (;;) {
    if (auto stopped = stop(history)) return *stopped;
    const auto configuration = next();
    if (!configuration) {
      SessionEnd end;
      end.reason = StopReason::exhausted;
      end.sentence =
          space_.counted()
              ? fmt::format("all {} configurations of the space were tried", space_.size())
              : "draws from the space meet only what was tried (it is too large to be counted)";
      return end;
    }
    if (!prune(history, *configuration)) evaluate(history, *configuration);
  }
}

void Session::complete(History& history, Finish& finish) {
  if (!finish.race) {
    finish.race = race(history);
    if (!finish.race) return;
    memory_.append(*finish.race);
  }
  if (!options_.ablation) return;
  do {
    if (!finish.ablation || !(finish.ablation->best == winner(*finish.race))) {
      // That of another winner tells nothing, also when this one is given up.
      finish.ablation.reset();
      finish.ablation = ablation(history, *finish.race);
      if (finish.ablation) memory_.append(*finish.ablation);
    }
  } while (promote(history, finish));
}

bool Session::promote(History& history, Finish& finish) {
  const std::size_t before = finish.race->challengers.size();
  if (!finish.ablation || before == most_promotions) return false;
  for (const KnobEffect& effect : costly(*finish.ablation)) {
    const SetBack& back = finish.ablation->knobs[effect.index];
    const auto same = [&](const Challenger& c) { return c.configuration == back.configuration; };
    const auto& known = finish.race->challengers;
    if (std::any_of(known.begin(), known.end(), same)) continue;
    throw_if_interrupted(options_.interrupted);
    if (!history.tried(back.configuration) ||
        history.find(back.configuration)->outcome == Outcome::pruned)
      evaluate(history, back.configuration,
               fmt::format("the winner of the race is {:.3g} times as fast with {} set back to {}",
                           1 / effect.factor.value, back.knob, to_text(back.from)));
    if (!history.find(back.configuration)->ok()) continue;
    const auto again =
        raced(history, with(*finish.race, {back.configuration, back.knob, effect.factor}));
    if (!again) return false;
    finish.race = again;
    memory_.append(*finish.race);
    return true;
  }
  return false;
}

std::optional<Configuration> Session::next() {
  // The baseline is what every speed-up and ledger refers to, so it never depends on the strategy.
  const Configuration baseline = space_.baseline();
  if (!proposed_.tried(baseline)) return baseline;
  if (const Configuration* configuration = forced()) return *configuration;
  if (const Configuration* configuration = pruning_.reopened(proposed_)) return *configuration;
  Rng rng(options_.seed, proposed_.size());
  return strategy_.propose(space_, proposed_, rng);
}

const Configuration* Session::forced() const {
  for (const Configuration& configuration : options_.first)
    if (!proposed_.tried(configuration)) return &configuration;
  return nullptr;
}

bool Session::prune(History& history, const Configuration& configuration) {
  // What the user or the story of the study asks for is measured whatever a proof says.
  if (configuration == space_.baseline() || forced()) return false;
  const std::string proof = pruning_.proof(configuration, proposed_);
  if (proof.empty()) return false;
  Trial trial;
  trial.configuration = configuration;
  trial.outcome = Outcome::pruned;
  trial.detail = proof;
  trial.started = history.trials().back().started;
  remember(history, std::move(trial));
  return true;
}

void Session::remember(History& history, Trial trial) {
  trial.index = history.size();
  memory_.append(trial);
  if (trial.promoted_because.empty()) proposed_.append(trial);
  history.append(std::move(trial));
  options_.progress(
      {history, &history.trials().back(), nullptr, "search", elapsed(), share_done(history)});
}

std::string Session::certificate() {
  if (!proposed_.tried(space_.baseline()) || !pruning_.certain(proposed_)) return {};
  const std::uint64_t pruned = pruned_trials(proposed_), left = pruning_.proven();
  if (pruned + left == 0) return {};
  return fmt::format(
      "certified: no configuration that was not measured can beat the best by more than the noise; "
      "{} of {} are proven slower, the others were tried",
      pruned + left, space_.size());
}

void Session::evaluate(History& history, const Configuration& configuration,
                       const std::string& promoted_because) {
  options_.progress({history, nullptr, &configuration, "search", elapsed(), share_done(history)});
  memory_.started(configuration, history.size());
  const Trial* incumbent = proposed_.best();
  try {
    Trial trial = evaluator_.evaluate(
        configuration,
        incumbent ? std::optional(incumbent->measurement->seconds.value) : std::nullopt);
    trial.promoted_because = promoted_because;
    remember(history, std::move(trial));
  } catch (const Interrupted&) {
    memory_.given_up(configuration, history.size());
    throw;
  }
}

std::optional<double> Session::closed_gap(const History& history) {
  const Trial* best = history.best();
  const double target = options_.target_gap * bound_.time.value();
  if (!best || !history.tried(space_.baseline()) || best->measurement->seconds.value > target)
    return std::nullopt;
  if (doubted_ == best->index) return std::nullopt;
  const Rounds rounds =
      evaluator_.race({best->configuration}, confirming_rounds, options_.seed + history.size());
  std::vector<double> seconds;
  for (const auto& round : rounds.seconds) seconds.push_back(round.front());
  const double again = seconds.empty() ? HUGE_VAL : quantile(seconds, 0.25);
  // Faster than the fastest ceiling allows: the bound is wrong and tells nothing of what is left.
  if (again <= target && again >= bound_.low.value()) return again / bound_.time.value();
  doubted_ = best->index;
  return std::nullopt;
}

std::optional<SessionEnd> Session::stop(const History& history) {
  SessionEnd end;
  if (options_.interrupted()) {
    end = cut_short();
  } else if (forced()) {
    return std::nullopt;
  } else if (const auto gap = closed_gap(history)) {
    end.reason = StopReason::closed;
    end.sentence = fmt::format("the gap is closed: {:.3f} is within the target of {:.3f}", *gap,
                               options_.target_gap);
  } else if (const std::string proof = certificate(); !proof.empty()) {
    end.reason = StopReason::certified;
    end.sentence = proof;
  } else if (const std::string limit = spent(history); !limit.empty()) {
    end.reason = StopReason::budget;
    end.sentence = fmt::format("the budget of {} is spent", limit);
  } else if (const auto chance = certain()) {
    end.reason = StopReason::certain;
    end.sentence = fmt::format(
        "an untried configuration is more than {:g} % faster with a probability below {:.2g} %, as "
        "far as times vary smoothly with the knobs (the model of the search)",
        100 * options_.certainty->share, 100 * *chance);
  } else {
    return std::nullopt;
  }
  return end;
}

std::string Session::spent(const History& history) const {
  const Budget& budget = options_.budget;
  if (budget.evaluations && proposed_.size() - pruned_trials(proposed_) >= *budget.evaluations)
    return fmt::format("{} evaluations", *budget.evaluations);
  if (budget.time && elapsed() >= budget.time->value()) return to_text(*budget.time);
  const Cost cost = history.cost();
  if (budget.device && cost.validate + cost.time >= budget.device->value())
    return to_text(*budget.device) + " of device time";
  return {};
}

std::optional<double> Session::certain() const {
  if (!options_.certainty || !proposed_.best()) return std::nullopt;
  return sure(strategy_, space_, proposed_, *options_.certainty);
}

std::optional<Race> Session::race(const History& history) const {
  const Trial* baseline = history.find(space_.baseline());
  Race race;
  race.looks = static_cast<int>(race_looks.size());
  race.with_baseline = baseline && baseline->ok();
  if (race.with_baseline) race.configurations.push_back(baseline->configuration);
  for (const Trial* trial : history.fastest(options_.finalists)) {
    if (race.with_baseline && trial->configuration == baseline->configuration) continue;
    race.configurations.push_back(trial->configuration);
  }
  if (race.configurations.size() < 2) return std::nullopt;
  return raced(history, std::move(race));
}

std::optional<Race> Session::raced(const History& history, Race race) const {
  double round_seconds = 0;
  for (const Configuration& configuration : race.configurations)
    if (const Trial* trial = history.find(configuration); trial->ok())
      round_seconds += trial->measurement->seconds.value;
  const double limit = std::max(
      race_floor_seconds, options_.budget.time ? race_share * options_.budget.time->value() : 0);
  for (const int look : race_looks) {
    throw_if_interrupted(options_.interrupted);
    const int rounds = look - static_cast<int>(race.seconds.size());
    if (!race.seconds.empty() && round_seconds * look > limit) break;
    options_.progress({history, nullptr, nullptr, "race", elapsed(), 1});
    Rounds more = evaluator_.race(race.configurations, rounds, options_.seed + race.seconds.size());
    append(race, more);
    if (!race.fault.empty()) break;
    if (judge(race).decided()) break;
  }
  if (race.seconds.empty()) return std::nullopt;
  return race;
}

std::optional<Ablation> Session::ablation(const History& history, const Race& race) const {
  if (!options_.ablation || !race.with_baseline) return std::nullopt;
  const Verdict verdict = judge(race);
  if (verdict.baseline_stands) return std::nullopt;
  throw_if_interrupted(options_.interrupted);
  options_.progress({history, nullptr, nullptr, "ablation", elapsed(), 1});
  AblationLimits limits;
  limits.seconds =
      std::max(ablation_floor_seconds,
               options_.budget.time ? ablation_share * options_.budget.time->value() : 0);
  limits.seed = options_.seed;
  limits.interrupted = options_.interrupted;
  return ablate(space_, history, race.configurations.front(), race.configurations[verdict.winner],
                evaluator_, limits);
}

double Session::elapsed() const {
  const std::chrono::duration<double> now = std::chrono::steady_clock::now() - begin_;
  return earlier_seconds_ + now.count();
}

double Session::share_done(const History& history) const {
  double share = 0;
  if (options_.budget.evaluations)
    share = static_cast<double>(proposed_.size() - pruned_trials(proposed_)) /
            static_cast<double>(*options_.budget.evaluations);
  if (options_.budget.time) share = std::max(share, elapsed() / options_.budget.time->value());
  if (options_.budget.device) {
    const Cost cost = history.cost();
    share = std::max(share, (cost.validate + cost.time) / options_.budget.device->value());
  }
  if (!options_.budget.evaluations && !options_.budget.time && !options_.budget.device)
    share = space_.extent().size ? static_cast<double>(history.size()) / space_.extent().size->value
                                 : 0;
  return std::min(share, 1.0);
}

}  // namespace rooftune
