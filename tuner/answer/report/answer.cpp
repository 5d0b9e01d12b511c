#include "report/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/list.h"
#include "report/figures.h"
#include "report/sentences.h"
#include "report/staircase.h"
#include "study/platform.h"

namespace rooftune::report {
namespace {

using Kind = Claim::Kind;

/// A factor that is worth mentioning.
constexpr double noticeable = 1.1;

Figure ratio(const Estimate& value) { return {value, "x"}; }
Figure percent(double share) { return {Estimate::exact(100 * share), "%"}; }
Figure exact(double value, const std::string& unit) { return {Estimate::exact(value), unit}; }

/// "simd and fma", "3 changes, past at step 2".
std::string knobs_against(const LedgerEntry& entry) {
  constexpr size_t few = 2;
  std::string text = entry.knobs.size() > few ? fmt::format("{} changes", entry.knobs.size())
                                              : joined(entry.knobs, " and ");
  if (entry.broken_by < entry.passed_by) text += fmt::format(", past at step {}", *entry.passed_by);
  return text;
}

/// In the order of Cause::Kind.
constexpr const char* cause_words[] = {
    "loads that wait for one another take", "operations that wait for one another take",
    "waiting for the busiest thread takes", "beginning and ending parallel regions takes"};

/// Makes the claims about a result, in their order.
struct Answer {
  const StudyResult& result;
  Claims all = {};

  /// Adds a claim with something to say.
  void add(Kind kind, const std::string& subject) {
    if (!subject.empty()) all.push_back({kind, subject});
  }

  /// A call's time, or the program's own figure.
  Figure time_of(const Estimate& seconds) const {
    return result.own_figure ? Figure{result.own_figure->of(seconds), result.own_figure->unit}
                             : Figure{seconds, "s"};
  }

  /// Baseline over best.
  std::optional<Estimate> gain() const {
    return result.inputs ? result.inputs->speedup : result.speedup;
  }

  /// Also for several inputs, where the baseline ran.
  bool baseline_is_best() const {
    return result.baseline_stands ||
           (result.inputs && result.inputs->baseline_gap && !result.inputs->speedup);
  }

  Claim gain_claim() const {
    Claim claim{Kind::no_gain, result.header.kernel};
    if (result.inputs) claim.subject += fmt::format(" over {} inputs", result.inputs->rows.size());
    claim.figures["time"] = time_of(result.best->seconds);
    claim.doubts = result.inconclusive;
    const Trial* best = find_trial(result, result.best->trial);
    if (const std::string memory = best && best->measurement ? best->measurement->memory() : "";
        !memory.empty())
      claim.evidence = {memory};
    const auto gain = this->gain();
    const bool stands = baseline_is_best();
    if (gain && !stands) claim.figures["gain"] = ratio(*gain);
    if (result.busy || (stands && !result.inconclusive.empty()) ||
        (gain && !stands && gain->low <= 1))
      claim.kind = Kind::undecided;
    else if (stands)
      claim.kind = Kind::baseline_best;
    else if (gain)
      claim.kind = Kind::faster;
    else
      claim.doubts.push_back(!result.no_baseline_because.empty()  ? result.no_baseline_because
                             : !result.no_speedup_because.empty() ? result.no_speedup_because
                                                                  : "they were not raced");
    return claim;
  }

  /// The ceilings that changes broke through, first one for each change: the shortest name lacks
  /// least.
  void add_broke() {
    if (!result.staircase || baseline_is_best()) return;
    Claim claim{Kind::broke};
    const auto& stairs = result.staircase->stairs;
    std::map<std::pair<size_t, std::string>, std::set<std::pair<size_t, std::string>>> by_change;
    for (const Stair& stair : stairs)
      for (const LedgerEntry& entry : stair.passed)
        if (const auto step = entry.broken_by; step && *step < stairs.size())
          by_change[{*step, knobs_against(entry)}].emplace(short_name(entry).size(),
                                                           short_name(entry));
    for (bool more = true; std::exchange(more, false);)
      for (auto& [change, names] : by_change)
        if (!names.empty()) {
          const auto first = names.extract(names.begin());
          claim.evidence.push_back(fmt::format("{} ({})", first.value().second, change.second));
          more = true;
        }
    if (!claim.evidence.empty()) all.push_back(claim);
  }

  /// What the part must do at least [its unit]; nullopt where nothing says so.
  std::optional<double> least_of(const BusyPart& part) const {
    const Roofline& roofline = result.roofline;
    if (part.unit == flop_unit) {
      const double flops = least_flops(roofline.work);
      return flops > 0 ? std::optional(flops) : std::nullopt;
    }
    if (part.unit != byte_unit || roofline.machine.levels.empty()) return std::nullopt;
    const bool outermost = !roofline.machine.level(part.part);
    const double bytes =
        least_bytes(result, outermost ? roofline.machine.levels.back().name : part.part);
    return bytes > 0 ? std::optional(bytes) : std::nullopt;
  }

  void add_amounts(const BusyPart& part, Claim& claim) const {
    claim.figures["amount"] = exact(part.amount, part.unit);
    if (const auto least = least_of(part)) claim.figures["least"] = exact(*least, part.unit);
  }

  /// How many times faster it could be at most, where nothing was counted: against the ceiling from
  /// the same rounds, else against the bound.
  Estimate over_bound() const {
    if (result.inputs && result.inputs->gap) return *result.inputs->gap;
    return result.paired_gap ? *result.paired_gap : result.best->gap.total;
  }

  Claim limit_claim() const {
    Claim claim{Kind::no_bound, result.roofline.why_no_bound()};
    claim.doubts = result.flags;
    if (const auto work = result.best->gap.work; work && *work < 1 / noticeable)
      claim.doubts.push_back(
          fmt::format("the kernel declares {} the work that was counted", ratio_text(1 / *work)));
    if (result.best->gap.above_roof) {
      const std::string& machine = result.roofline.machine.name;
      claim.kind = Kind::above_roof;
      claim.subject = machine == host_machine ? "this machine" : machine;
      claim.figures["ratio"] = ratio(result.best->gap.total);
      claim.doubts.emplace_back("tune probe --full measures the ceilings again");
    } else if (result.limit && !result.limit->parts.empty() && !result.inputs) {
      const Limit& limit = *result.limit;
      const BusyPart& busiest = limit.parts.front();
      claim.kind = limit.at_limit() ? Kind::at_limit : limit.cause ? Kind::waits : Kind::below;
      claim.subject = busiest.part;
      claim.evidence = {busiest.part};
      claim.figures["busy"] = percent(busiest.share.value);
      if (limit.at_limit()) {
        claim.figures["given"] = percent(busiest.given);
        add_amounts(busiest, claim);
      } else if (limit.cause) {
        claim.subject = cause_words[size_t(limit.cause->kind)];
        claim.figures["share"] = percent(limit.cause->share);
        if (limit.cause->seconds > 0) claim.figures["each"] = exact(limit.cause->seconds, "s");
      }
    } else if (result.bound.known()) {
      claim.kind = Kind::bounded;
      claim.subject = result.inputs ? "the sum over all inputs" : limit_name(result);
      claim.figures["at_most"] = ratio(over_bound());
      if (!result.best->not_counted_because.empty())
        claim.evidence = {result.best->not_counted_because};
    }
    return claim;
  }

  /// What the busiest part allows at the rates from the same rounds; without counts, the bound.
  void add_more(const Claim& limit) {
    if (result.inputs) return;  // the inputs' table has a claim for each
    Claim claim{Kind::more};
    const double seconds = result.best->seconds.value;
    if (limit.kind == Kind::bounded) {
      const double at_most = limit.value_of("at_most");
      claim.subject = "the bound, by " + limit_name(result);
      claim.figures["at_most"] = limit.figures.at("at_most");
      claim.figures["time"] = time_of(Estimate::exact(seconds / std::max(1.0, at_most)));
      return all.push_back(claim);
    }
    if (!limit.has("busy")) return;
    const BusyPart& part = result.limit->parts.front();
    const double share = part.share.value;
    // Nothing follows from a part that hardly works.
    constexpr double least_share = 0.01;
    if (share < least_share) return;
    claim.subject = part.part;
    claim.figures["at_most"] = ratio({1 / share, 1 / part.share.high, 1 / part.share.low});
    claim.figures["time"] = time_of(Estimate::exact(seconds * std::min(1.0, share)));
    add_amounts(part, claim);
    claim.evidence = {
        result.paired_gap
            ? fmt::format("what {} gave in the same rounds", part_name(part.part))
            : fmt::format(
                  fmt::runtime(result.drifts.empty() ? "the rate of {}"
                                                     : "the fastest that {} gave in this study"),
                  part_name(part.part))};
    const auto least = least_of(part);
    // The best may move its bytes faster than the micro-kernel did.
    const double fastest = least ? *least / std::max(part.rate, part.amount / seconds) : 0;
    if (least && *least * noticeable < part.amount && fastest < seconds) {
      claim.figures["least_time"] = exact(fastest, "s");
      // Another part limits it first.
      if (result.bound.time.value() > fastest) {
        claim.figures["bound"] = exact(result.bound.time.value(), "s");
        claim.evidence.push_back(limit_name(result));
      }
    }
    all.push_back(claim);
  }

  void add_steps() {
    if (baseline_is_best()) return;
    if (result.staircase)
      add(Kind::shortened, result.staircase->shortened_because);
    else
      add(Kind::no_steps, result.no_staircase_because);
  }

  void add_busy() {
    if (!result.limit || result.limit->parts.empty()) return;
    Claim claim{.kind = Kind::busy, .evidence = result.limit->unrated};
    for (const BusyPart& part : result.limit->parts)
      claim.figures[part.part] = percent(part.share.value);
    all.push_back(claim);
  }

  /// "no step has them", or which step does less.
  std::string least_step(const BusyPart& part) const {
    std::string text = "no step has them";
    double least = 0.97 * part.amount;
    for (size_t step = 0; result.staircase && step + 1 < result.staircase->stairs.size(); ++step) {
      const auto& there = result.staircase->stairs[step].limit;
      const auto* const same =
          there ? first_with(there->parts, &BusyPart::part, part.part) : nullptr;
      if (!same || same->amount >= least) continue;
      least = same->amount;
      const std::string name = step == 0 ? "the baseline" : fmt::format("step {}", step);
      text = name + " has " + amount_text(least, part.unit);
    }
    return text;
  }

  /// Adds the values that gained beside the winner; without any, what other code might gain.
  void add_next(const Claim& limit) {
    Claim claim{Kind::next_tried};
    const bool tried = result.staircase && !result.staircase->next.empty();
    if (tried)
      for (const TriedNext& next : result.staircase->next)
        if (next.gain && next.gain->low > 1)
          claim.figures[step_text(next.changes, std::nullopt)] = ratio(*next.gain);
    const bool excess = limit.kind == Kind::at_limit && limit.has("least") &&
                        limit.value_of("amount") > noticeable * limit.value_of("least");
    if (claim.figures.empty()) {
      if (!excess && !tried) return;
      claim.kind = excess ? Kind::next_other : Kind::next_none;
      if (excess) {
        const BusyPart& part = result.limit->parts.front();
        claim.subject = part.unit == byte_unit ? "fewer bytes" : "fewer operations";
        claim.evidence = {least_step(part)};
      }
    }
    all.push_back(claim);
  }

  Claim go_on_claim(const Claim& gain, const Claim& limit) const {
    if (result.stop.reason == StopReason::interrupted) return {Kind::go_on, result.stop.sentence};
    if (gain.kind == Kind::faster && limit.kind == Kind::at_limit &&
        is_at_full_rate(limit.value_of("busy")))
      return {Kind::stop, part_name(limit.subject) + " gave no more in these minutes"};
    constexpr double negligible = 1.05;
    if (result.space_bound && result.space_bound->time.time.value() > 0) {
      const double over = result.best->seconds.value / result.space_bound->time.time.value();
      // If the best is further below it, bound or space file are wrong: then it proves nothing.
      if (over < negligible && over > 2 - negligible)
        return {Kind::stop,
                "the best is within 5 % of what any configuration of this space can do"};
    }
    if (!time_helps(result.stop.reason)) return {Kind::stop, result.stop.sentence};
    // Only the search's trials, not those measured for the answer; a gain within the noise is none.
    constexpr double noise = 0.98;
    TextSet keys;
    double fastest = HUGE_VAL;
    size_t searched = 0, last_gain = 0;
    for (const Trial& trial : result.trials) {
      keys.insert(trial.configuration.key());
      if (!trial.because.empty()) continue;
      ++searched;
      if (!trial.ok() || trial.seconds() > noise * fastest) continue;
      fastest = trial.seconds();
      last_gain = searched;
    }
    const auto tried = double(keys.size());
    if (tried == result.space.size)
      return {Kind::stop, fmt::format("all {} configurations were tried", keys.size())};
    Claim claim{.kind = Kind::go_on,
                .figures = {{"tried", exact(tried, "")},
                            {"size", exact(result.space.size, "")},
                            {"best", exact(double(last_gain), "")},
                            {"trials", exact(double(searched), "")}},
                .evidence = gain.kind == Kind::undecided ? gain.doubts : Texts{}};
    if (limit.has("busy")) claim.figures["at_most"] = exact(100 / limit.value_of("busy"), "x");
    return claim;
  }

  /// What making the best's own data layout costs, and how many calls gain it all back.
  void add_conversion() {
    const Trial* best = find_trial(result, result.best->trial);
    if (!best || !best->measurement || !(best->measurement->prepare_seconds > 0)) return;
    const Measurement& mine = *best->measurement;
    const double call = result.best->seconds.value - mine.amortised_seconds;
    if (mine.prepare_seconds < call) return;
    Claim claim{Kind::conversion,
                result.roofline.machine.is_gpu()
                    ? "bringing the best's data to the card, any layout of its own included,"
                    : "making the best's own data layout"};
    claim.figures["time"] = exact(mine.prepare_seconds, "s");
    claim.figures["calls"] = exact(mine.prepare_seconds / call, "");
    const Trial* baseline = result.baseline ? find_trial(result, result.baseline->trial) : nullptr;
    if (baseline && baseline->measurement && baseline != best) {
      const Measurement& other = *baseline->measurement;
      const double saved = result.baseline->seconds.value - other.amortised_seconds - call;
      if (saved > 0 && mine.prepare_seconds > other.prepare_seconds)
        claim.figures["pays_off"] = exact(std::ceil(mine.prepare_seconds / saved), "");
    }
    all.push_back(claim);
  }

  Claims run() {
    if (!result.best || (result.inputs && !result.inputs->gap)) {
      all.push_back({Kind::not_measured, result.header.kernel});
      if (!result.no_baseline_because.empty()) all.back().doubts = {result.no_baseline_because};
      if (result.trials.size() > 1) add(Kind::failed, failure_sentence(result));
      if (result.stop.reason == StopReason::baseline_failed) add(Kind::stop, result.stop.sentence);
      return all;
    }
    all.push_back(gain_claim());
    add_broke();
    const Claim limit = limit_claim();
    all.push_back(limit);
    add_more(limit);
    add_steps();
    add_busy();
    add_conversion();
    add(Kind::beware, caution_sentence(result));
    add(Kind::failed, failure_sentence(result));
    add_next(limit);
    Claim next = go_on_claim(all.front(), limit);
    if (next.kind == Kind::stop && all.front().kind == Kind::undecided)
      next = {Kind::go_on, "more rounds may decide between best and baseline"};
    all.push_back(std::move(next));
    return all;
  }
};

}  // namespace

Claims claims(const StudyResult& result) { return Answer{result}.run(); }

const Claim* claim_of(const Claims& claims, Kind kind) {
  return first_with(claims, &Claim::kind, kind);
}

std::string headline(const Claims& claims) {
  std::string text;
  for (const Claim& claim : claims)
    if (label_of(claim).empty() && claim.kind != Kind::more) join(text, words_of(claim) + ".", " ");
  return text;
}

Texts doubts(const Claims& claims) {
  Texts all;
  for (const Claim& claim : claims)
    for (const std::string& doubt : claim.doubts) add_once(all, doubt);
  return all;
}

}  // namespace rooftune::report
