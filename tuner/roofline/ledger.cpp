// The ledger: the ceilings and walls between a baseline and a better variant, and what broke them.
//
// A drawing of a roofline has few ceilings, in an order that somebody chose: "without SIMD", below
// it "without SIMD and ILP" (Williams, Waterman, Patterson 2009). A measured machine has a lattice:
// one rate for each combination of paradigms that a micro-kernel can exploit, a hundred and more.
// Which of them explain anything depends on the problem (its precision, its mix of loads and
// stores), so the order is worked out here, for each level and precision in three steps:
//  1. what a ceiling lacks is the union of what its siblings exploit, less what it exploits;
//  2. a ceiling says nothing when another one lacks at least as much and is as fast;
//  3. of the rest people read the smallest sets, and one chain of ever wider ones.
// All comparisons are between times of this problem, never between rates: only so do ceilings of
// different units and walls stand in one order.
#include <algorithm>
#include <iterator>
#include <set>

#include "roofline/rates.h"
#include "roofline/roofline.h"

namespace rooftune::inline roofline {
namespace {

using Kind = LedgerEntry::Kind;

/// A limit on the way: a roof, a ceiling below it, or a wall.
struct Limit {
  Kind kind;
  std::string wall;
  Paradigms lacks;
  CeilingTime time;
};

/// One measured ceiling and what it does not exploit of what its siblings do.
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

/// What a ceiling exploits or cannot lack: a pure load has no store to make non-temporal.
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

/// Ceilings that say something: none with a wider lack is as fast, and of equal lacks the fastest.
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

/// The readable part: lacks that no smaller one explains (mostly a single paradigm), and a chain in
/// which each lack widens the one before.
std::vector<Lacking> readable(const std::vector<Lacking>& fastest_first) {
  std::vector<Lacking> result;
  if (fastest_first.empty()) return result;
  const Paradigms free = fastest_first.front().lacks;
  Paradigms widest;
  std::set<Paradigms> seen;
  for (auto entry : fastest_first) {
    // What the fastest lacks costs nothing here, so that it explains no ceiling.
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
  std::vector<Limit> all() {
    for (const auto& part : bound_.parts) add_group(part);
    for (const auto& wall : roofline_.traffic.walls) add_wall(wall);
    std::stable_sort(limits_.begin(), limits_.end(),
                     [](const Limit& a, const Limit& b) { return a.time.time > b.time.time; });
    return limits_;
  }

 private:
  bool is_level(const CeilingTime& part) const { return machine_.level(part.level) != nullptr; }

  /// The roof of one level or precision and the ceilings below it.
  void add_group(const CeilingTime& roof) {
    const Kind kind = is_level(roof) ? Kind::bandwidth : Kind::in_core;
    add({kind, {}, {}, roof});
    for (const auto& entry : readable(informative(candidates(roof)))) {
      const auto time = roofline_.time_at(*entry.ceiling);
      // Not slower than the roof: another mix's rate, no ceiling for this problem.
      if (!time || time->time <= roof.time) continue;
      add({kind, {}, entry.lacks, *time});
    }
  }

  std::vector<const Ceiling*> candidates(const CeilingTime& part) const {
    std::vector<const Ceiling*> result;
    if (!is_level(part)) {
      const std::set<std::string> balanced{"fma", "add_mul", "add", "mul"};
      for (const Ceiling* ceiling : in_core_ceilings(machine_, part.level, threads_))
        if (balanced.count(ceiling->mix)) result.push_back(ceiling);
      return result;
    }
    const auto moved = roofline_.least_traffic(part.level);
    const auto usable = bandwidth_ceilings(machine_, part.level, threads_);
    const auto streaming = streams(usable, roofline_.traffic.in_place());
    result = bracketing(streaming, moved.read / moved.total());
    for (const Ceiling* ceiling : usable) {
      const bool streams_too = std::count(streaming.begin(), streaming.end(), ceiling) > 0;
      const bool streamed =
          holds(ceiling->requirements, {Paradigm::unit_stride, Paradigm::prefetch});
      if (!streams_too && !streamed) result.push_back(ceiling);
    }
    return result;
  }

  /// At the best rate of the outermost level that the wall's traffic crosses.
  void add_wall(const Wall& wall) {
    for (auto level = machine_.levels.rbegin(); level != machine_.levels.rend(); ++level) {
      if (!wall.level.empty() && wall.level != level->name) continue;
      const auto crossing = roofline_.least_traffic(level->name, wall.read, wall.write);
      // Lines that are allocated and then written move as updates do.
      const auto rates = streams(bandwidth_ceilings(machine_, level->name, threads_), true);
      if (const auto time = stream_time(rates, crossing)) {
        if (time->time <= bound_.time) return;
        add({Kind::wall, wall.name, {wall.lacks}, *time});
        return;
      }
    }
  }

  /// A limit faster than the bound holds nobody back.
  void add(Limit limit) {
    if (limit.time.high >= bound_.low) limits_.push_back(std::move(limit));
  }

  const Roofline& roofline_;
  const Machine& machine_;
  int threads_;
  Bound bound_;
  std::vector<Limit> limits_;
};

/// nullopt when the baseline already exceeds a limit.
std::optional<LedgerEntry::State> state(const CeilingTime& limit, const Estimate& baseline,
                                        const Estimate& best) {
  const double low = limit.low.value(), high = limit.high.value();
  if (best.low > high) return LedgerEntry::State::above;
  if (best.high >= low) return LedgerEntry::State::touching;
  if (baseline.low > high) return LedgerEntry::State::broken;
  if (baseline.high >= low) return LedgerEntry::State::uncertain;
  return std::nullopt;
}

/// Of the last step that leads past the limit for good: the knobs that can break it, else all.
std::vector<Step::Change> crossing_knobs(const std::vector<Step>& path, const Limit& limit) {
  std::size_t crossing = path.size();
  while (crossing > 1 && path[crossing - 1].seconds.value < limit.time.time.value()) --crossing;
  if (crossing >= path.size()) return {};
  const std::vector<Step::Change>& all = path[crossing].changes;
  std::vector<Step::Change> able;
  std::copy_if(all.begin(), all.end(), std::back_inserter(able),
               [&](const Step::Change& change) { return breaks_one(change.breaks, limit.lacks); });
  return able.empty() ? all : able;
}

/// Adds the set-backs for which `worse` holds, slowest first.
template <typename Predicate>
void add_set_backs(const std::vector<SetBackTime>& all, const Predicate& worse,
                   LedgerEntry& entry) {
  std::vector<const SetBackTime*> chosen;
  for (const SetBackTime& back : all)
    if (worse(back)) chosen.push_back(&back);
  std::stable_sort(chosen.begin(), chosen.end(), [](const SetBackTime* a, const SetBackTime* b) {
    return a->seconds.value > b->seconds.value;
  });
  for (const SetBackTime* back : chosen) {
    entry.knobs.push_back(back->change);
    entry.set_back.push_back(back->seconds);
  }
}

void attribute(const std::vector<Step>& path, const std::vector<SetBackTime>& set_back,
               const Limit& limit, LedgerEntry& entry) {
  const double high = limit.time.high.value();
  entry.evidence = LedgerEntry::Evidence::ablation;
  add_set_backs(
      set_back, [&](const auto& back) { return back.seconds.low > high; }, entry);
  if (!entry.knobs.empty()) return;
  entry.evidence = LedgerEntry::Evidence::together;
  add_set_backs(
      set_back, [](const auto& back) { return back.factor.low > 1; }, entry);
  if (!entry.knobs.empty()) return;
  entry.evidence = LedgerEntry::Evidence::search;
  entry.knobs = crossing_knobs(path, limit);
}

}  // namespace

const char* to_text(LedgerEntry::Kind kind) {
  switch (kind) {
    case Kind::in_core:
      return "in_core";
    case Kind::bandwidth:
      return "bandwidth";
    case Kind::wall:
      return "wall";
  }
  return "";
}

const char* to_text(LedgerEntry::State state) {
  switch (state) {
    case LedgerEntry::State::broken:
      return "broken";
    case LedgerEntry::State::touching:
      return "touching";
    case LedgerEntry::State::above:
      return "above";
    case LedgerEntry::State::uncertain:
      return "uncertain";
  }
  return "";
}

const char* to_text(LedgerEntry::Evidence evidence) {
  switch (evidence) {
    case LedgerEntry::Evidence::none:
      return "none";
    case LedgerEntry::Evidence::ablation:
      return "ablation";
    case LedgerEntry::Evidence::together:
      return "together";
    case LedgerEntry::Evidence::search:
      return "search";
  }
  return "";
}

std::vector<LedgerEntry> Roofline::ledger(const std::vector<Step>& path,
                                          const Attribution& attribution) const {
  std::vector<LedgerEntry> entries;
  if (path.empty()) return entries;
  for (const auto& limit : Limits(*this).all()) {
    const auto where = state(limit.time, path.front().seconds, path.back().seconds);
    if (!where) continue;
    LedgerEntry entry;
    entry.kind = limit.kind;
    entry.wall = limit.wall;
    entry.level = limit.time.level;
    entry.ceiling = limit.time.ceiling;
    entry.lacks = limit.lacks;
    entry.state = *where;
    entry.time = limit.time.time;
    if (*where == LedgerEntry::State::broken && !attribution.doubt.empty()) {
      entry.state = LedgerEntry::State::uncertain;
      entry.doubt = attribution.doubt;
    } else if (*where == LedgerEntry::State::broken) {
      attribute(path, attribution.set_back, limit, entry);
    } else if (*where == LedgerEntry::State::uncertain) {
      entry.doubt = "the baseline's interval meets it";
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace rooftune::inline roofline
