// The ledger: the ceilings and walls between a baseline and a better variant, and their causes.
//
// A drawing of a roofline has few ceilings, in a chosen order: "without SIMD", below it "without
// SIMD and ILP" (Williams, Waterman, Patterson 2009). A measured machine has a lattice: one rate
// for each combination of paradigms of a micro-kernel, a hundred and more. Their relevance depends
// on the problem (its precision, its mix of loads and stores), so the order is worked out here, for
// each level and precision in three steps:
//  1. the lacks of a ceiling are the union of its siblings' paradigms, less its own;
//  2. a ceiling is redundant when another one lacks at least as much and is as fast;
//  3. of the rest people read the smallest sets, and one chain of ever wider ones.
// All comparisons are between times of this problem, never between rates: only so do ceilings of
// different units and walls stand in one order.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "core/units.h"
#include "roofline/rates.h"
#include "roofline/roofline.h"

namespace rooftune::roofline {
namespace {

using Kind = LedgerEntry::Kind;

/// A limit on the way: a roof, a ceiling below it, or a wall.
struct Line {
  Kind kind;
  std::string wall;
  Paradigms lacks;
  CeilingTime time;
  Bytes bytes{0};  ///< of a wall
};

/// One measured ceiling and the paradigms its siblings exploit but it does not.
struct Lacking {
  const Ceiling* ceiling;
  Paradigms lacks;
};

bool holds(const Paradigms& all, const Paradigms& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

Paradigms difference(const Paradigms& a, const Paradigms& b) {
  Paradigms result;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(result, result.end()));
  return result;
}

/// Paradigms a ceiling exploits or cannot lack: a pure load has no store to make non-temporal.
Paradigms exploits(const Ceiling& ceiling) {
  Paradigms paradigms = ceiling.requirements;
  if (ceiling.kind == Ceiling::Kind::bandwidth && ceiling.reads >= 1)
    paradigms.insert(Paradigm::nt_store);
  return paradigms;
}

Paradigms union_of(const std::vector<const Ceiling*>& group) {
  Paradigms all;
  for (const Ceiling* ceiling : group)
    all.insert(ceiling->requirements.begin(), ceiling->requirements.end());
  return all;
}

/// Informative ceilings: none with a wider lack is as fast, and of equal lacks the fastest.
std::vector<Lacking> informative(const std::vector<const Ceiling*>& group) {
  const Paradigms all = union_of(group);
  std::vector<Lacking> sorted;
  for (const Ceiling* ceiling : group)
    sorted.push_back({ceiling, difference(all, exploits(*ceiling))});
  std::stable_sort(sorted.begin(), sorted.end(), [](const Lacking& a, const Lacking& b) {
    return a.ceiling->rate.value > b.ceiling->rate.value;
  });
  std::vector<Lacking> kept;
  for (const auto& candidate : sorted) {
    const bool faster_with_less = std::any_of(kept.begin(), kept.end(), [&](const Lacking& other) {
      return holds(other.lacks, candidate.lacks);
    });
    if (!faster_with_less) kept.push_back(candidate);
  }
  return kept;
}

/// The readable part: lacks with no smaller one to explain them (mostly a single paradigm), and a
/// chain of lacks, each wider than the one before.
std::vector<Lacking> readable(const std::vector<Lacking>& fastest_first) {
  std::vector<Lacking> result;
  if (fastest_first.empty()) return result;
  const Paradigms free = fastest_first.front().lacks;
  Paradigms widest;
  std::set<Paradigms> seen;
  for (auto entry : fastest_first) {
    // The lacks of the fastest cost nothing here and so explain no ceiling.
    entry.lacks = difference(entry.lacks, free);
    if (entry.lacks.empty() || !seen.insert(entry.lacks).second) continue;
    const bool wider = holds(entry.lacks, widest);
    const bool explained = std::any_of(result.begin(), result.end(), [&](const Lacking& smaller) {
      return holds(entry.lacks, smaller.lacks);
    });
    if (explained && !wider) continue;
    if (wider) widest = entry.lacks;
    result.push_back(std::move(entry));
  }
  return result;
}

class Limits {
 public:
  explicit Limits(const Roofline& roofline)
      : roofline_(roofline),
        machine_(roofline.machine),
        threads_(roofline.threads),
        bound_(roofline.bound()) {}

  /// Slowest first.
  std::vector<Line> all() {
    for (const auto& part : bound_.parts) add_group(part);
    for (const auto& wall : roofline_.traffic.walls) add_wall(wall);
    std::stable_sort(limits_.begin(), limits_.end(),
                     [](const Line& a, const Line& b) { return a.time.time > b.time.time; });
    return limits_;
  }

 private:
  bool is_level(const CeilingTime& part) const { return machine_.level(part.level) != nullptr; }

  Kind kind_of(const CeilingTime& part) const {
    if (is_level(part)) return Kind::bandwidth;
    const Ceiling* ceiling = ceiling_named(machine_.ceilings, part.ceiling);
    return ceiling && ceiling->kind == Ceiling::Kind::launch ? Kind::launch : Kind::in_core;
  }

  /// The roof of one level or precision and the ceilings below it.
  void add_group(const CeilingTime& roof) {
    const Kind kind = kind_of(roof);
    add({kind, {}, {}, roof, {}});
    if (kind == Kind::launch) return;
    for (const auto& entry : readable(informative(candidates(roof)))) {
      const auto time = roofline_.time_at(*entry.ceiling);
      // Not slower than the roof: another mix's rate, no ceiling for this problem.
      if (!time || time->time <= roof.time) continue;
      add({kind, {}, entry.lacks, *time, {}});
    }
  }

  std::vector<const Ceiling*> candidates(const CeilingTime& part) const {
    std::vector<const Ceiling*> result;
    if (!is_level(part)) {
      const std::set<std::string> balanced{"fma",     "add_mul",  "add",    "mul",
                                           "fma_add", "fma2_add", "fma_mul"};
      for (const Ceiling* ceiling : in_core_ceilings(machine_, part.level, threads_))
        if (balanced.count(ceiling->mix)) result.push_back(ceiling);
      return result;
    }
    const auto usable = bandwidth_ceilings(machine_, part.level, threads_);
    // Random and strided walks limit code that walks so, and no count tells which does.
    const auto streaming = streams(usable, roofline_.traffic.in_place());
    return bracketing(streaming, roofline_.traffic.share_read());
  }

  /// At the best rate of the outermost level crossed by the wall's traffic.
  void add_wall(const Wall& wall) {
    for (auto level = machine_.levels.rbegin(); level != machine_.levels.rend(); ++level) {
      if (!wall.level.empty() && wall.level != level->name) continue;
      const auto crossing = roofline_.least_traffic(level->name, wall.read, wall.write);
      // Lines allocated and then written move as updates do.
      const auto rates = streams(bandwidth_ceilings(machine_, level->name, threads_), true);
      if (const auto time = stream_time(rates, crossing)) {
        if (time->time <= bound_.time) return;
        add({Kind::wall, wall.name, {wall.lacks}, *time, crossing.total()});
        return;
      }
    }
  }

  /// A limit faster than the bound limits nothing.
  void add(Line limit) {
    if (limit.time.high >= bound_.low) limits_.push_back(std::move(limit));
  }

  const Roofline& roofline_;
  const Machine& machine_;
  int threads_;
  Bound bound_;
  std::vector<Line> limits_;
};

/// Position of the two variants relative to a limit.
struct Standing {
  LedgerEntry::State state;
  std::string doubt = {};
};

/// Intervals wider than this around a limit decide nothing about it.
constexpr double widest_interval = 1.25;

std::string uncertainty(const CeilingTime& limit, const Estimate& best) {
  const double ceiling = limit.high / limit.low;
  if (ceiling > 1 + (widest_interval - 1) / 2)
    return fmt::format("\"{}\" moved by {:.0f} % while the study ran", limit.ceiling,
                       100 * (1 - 1 / ceiling));
  return fmt::format("the best's interval reaches from {:.0f} to {:.0f} % of it",
                     100 * (best.low / limit.time.value()), 100 * (best.high / limit.time.value()));
}

/// nullopt when the baseline already exceeds the limit.
std::optional<Standing> standing(const CeilingTime& limit, const Estimate& baseline,
                                 const Estimate& best) {
  using State = LedgerEntry::State;
  const double low = limit.low.value(), high = limit.high.value();
  if (best.low > high) return Standing{State::above};
  if (best.high >= low) {
    if (std::max(high, best.high) / std::min(low, best.low) <= widest_interval)
      return Standing{State::touching};
    return Standing{State::uncertain, uncertainty(limit, best)};
  }
  if (baseline.low > high) return Standing{State::broken};
  if (baseline.high >= low) return Standing{State::uncertain, "the baseline's interval meets it"};
  return std::nullopt;
}

/// Halfway, in logarithms.
Estimate geometric_mean(const Estimate& a, const Estimate& b) {
  return {std::sqrt(a.value * b.value), std::sqrt(a.low * b.low), std::sqrt(a.high * b.high)};
}

/// The ceiling's slowdown in the same rounds hit the two as much, or by half of it where they wait
/// for it in part only: a line stands when both cases agree.
std::optional<Standing> standing_beside(CeilingTime limit, const std::vector<Step>& path,
                                        const SideBySide& beside) {
  limit.low = limit.high = limit.time;
  const auto whole = standing(limit, beside.baseline, beside.best);
  const auto half = standing(limit, geometric_mean(beside.baseline, path.front().seconds),
                             geometric_mean(beside.best, path.back().seconds));
  if (!whole && !half) return std::nullopt;
  if (whole && half && whole->state == half->state) return whole;
  return Standing{LedgerEntry::State::uncertain,
                  fmt::format("\"{}\" was slower than at its best, and how much of that slowed "
                              "the two is not known",
                              limit.ceiling)};
}

/// The limit is of code without something that this code was seen to have: the baseline, of one it
/// would have broken; the best, of one still ahead.
bool lacks_what_is_there(const Paradigms& lacks, LedgerEntry::State state,
                         const Attribution& known) {
  const bool ahead = state == LedgerEntry::State::above || state == LedgerEntry::State::touching;
  const Paradigms& has = ahead ? known.best_has : known.baseline_has;
  return std::ranges::any_of(lacks, [&](Paradigm one) { return has.contains(one); });
}

/// A wall's standing by counted bytes: nullopt when the baseline never stood behind it.
std::optional<Standing> counted(const Line& limit, const Attribution& known, Standing times) {
  constexpr double tolerance = 0.02;
  if (limit.kind != Kind::wall || times.state != LedgerEntry::State::broken) return times;
  const auto bytes = [&](const TrafficByLevel& moved) -> std::optional<double> {
    const auto found = moved.find(limit.time.level);
    return found == moved.end() ? std::nullopt : std::optional(found->second.total().value());
  };
  const double wall = limit.bytes.value();
  if (const auto behind = bytes(known.baseline_moved); behind && *behind < wall * (1 - tolerance))
    return std::nullopt;
  if (const auto best = bytes(known.best_moved); best && *best > wall * (1 + tolerance))
    return Standing{LedgerEntry::State::uncertain,
                    fmt::format("its time is below it, but the best still moves {} there, the wall "
                                "is {}",
                                to_text(Bytes(*best)), to_text(limit.bytes))};
  return times;
}

}  // namespace

std::vector<std::string> Roofline::ceilings_near(Seconds seconds) const {
  std::vector<Line> limits = Limits(*this).all();
  const auto distance = [&](const Line& limit) {
    return std::abs(std::log(limit.time.time / seconds));
  };
  std::stable_sort(limits.begin(), limits.end(),
                   [&](const Line& a, const Line& b) { return distance(a) < distance(b); });
  std::vector<std::string> names;
  for (const Line& limit : limits)
    if (std::find(names.begin(), names.end(), limit.time.ceiling) == names.end())
      names.push_back(limit.time.ceiling);
  return names;
}

std::vector<LedgerEntry> Roofline::ledger(const std::vector<Step>& path,
                                          const Attribution& known) const {
  std::vector<LedgerEntry> entries;
  if (path.empty()) return entries;
  for (const Line& limit : Limits(*this).all()) {
    const auto beside = known.beside.find(limit.time.ceiling);
    const bool paired = beside != known.beside.end();
    const auto times = paired ? standing_beside(limit.time, path, beside->second)
                              : standing(limit.time, path.front().seconds, path.back().seconds);
    const auto where = times ? counted(limit, known, *times) : std::nullopt;
    if (!where || lacks_what_is_there(limit.lacks, where->state, known)) continue;
    LedgerEntry entry;
    entry.kind = limit.kind;
    entry.wall = limit.wall;
    entry.level = limit.time.level;
    entry.ceiling = limit.time.ceiling;
    entry.lacks = limit.lacks;
    entry.state = where->state;
    entry.doubt = where->doubt;
    entry.paired = paired;
    entry.time = limit.time.time;
    if (entry.state == LedgerEntry::State::broken && !known.doubt.empty()) {
      entry.state = LedgerEntry::State::uncertain;
      entry.doubt = known.doubt;
    } else if (entry.state == LedgerEntry::State::broken) {
      name_causes(path, known, limit.time.high.value(), entry);
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace rooftune::roofline
