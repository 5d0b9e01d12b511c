// The ledger: the ceilings and walls on the way from a baseline to the top of a staircase.
//
// A drawing of a roofline has few ceilings, in a chosen order: "without SIMD", below it "without
// SIMD and ILP" (Williams, Waterman, Patterson 2009). A measured machine has a lattice: one rate
// for each combination of paradigms of a micro-kernel. People read those with one lack at a time,
// and their relevance depends on the problem (its precision, its mix of loads and stores):
//  1. the lacks of a ceiling are the union of its siblings' paradigms, less its own;
//  2. what the fastest lacks costs nothing here;
//  3. of the rest each single lack is a line, at the fastest rate with that lack.
// All comparisons are between times of this problem, never between rates: only so do ceilings of
// different units and walls stand in one order.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>

#include "core/list.h"
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
  Bytes bytes{0};  ///< of a wall, less what caches may keep
  Bytes plain{0};  ///< of a wall, all
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

/// One ceiling for each single lack, the fastest with it; none where the same rate is reached with
/// that lack and another, which then explains it.
std::vector<Lacking> single_lacks(const std::vector<const Ceiling*>& group) {
  const Paradigms all = union_of(group);
  std::vector<Lacking> sorted;
  for (const Ceiling* ceiling : group)
    sorted.push_back({ceiling, difference(all, exploits(*ceiling))});
  std::ranges::stable_sort(sorted, std::greater(),
                           [](const Lacking& one) { return one.ceiling->rate.value; });
  if (sorted.empty()) return {};
  const Paradigms free = sorted.front().lacks;
  std::vector<Lacking> result;
  std::vector<Paradigms> faster;
  for (Lacking& one : sorted) {
    one.lacks = difference(one.lacks, free);
    const bool explained = std::ranges::any_of(
        faster, [&](const Paradigms& other) { return holds(other, one.lacks); });
    faster.push_back(one.lacks);
    if (one.lacks.size() == 1 && !explained) result.push_back(one);
  }
  return result;
}

class Lines {
 public:
  explicit Lines(const Roofline& roofline)
      : roofline_(roofline),
        machine_(roofline.machine),
        threads_(roofline.threads),
        bound_(roofline.bound()) {}

  /// Slowest first.
  std::vector<Line> all() {
    for (const auto& part : bound_.parts) add_group(part);
    for (const auto& wall : roofline_.traffic.walls) add_wall(wall);
    std::ranges::stable_sort(limits_, std::greater(),
                             [](const Line& line) { return line.time.time; });
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
    for (const auto& entry : single_lacks(candidates(roof))) {
      const auto time = roofline_.time_at(*entry.ceiling);
      // Not slower than the roof: another mix's rate, no ceiling for this problem.
      if (!time || time->time <= roof.time) continue;
      add({kind, {}, entry.lacks, *time, {}});
    }
  }

  std::vector<const Ceiling*> candidates(const CeilingTime& part) const {
    std::vector<const Ceiling*> result;
    if (!is_level(part)) {
      const TextSet balanced{"fma", "add_mul", "add", "mul", "fma_add", "fma2_add", "fma_mul"};
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
        add({Kind::wall, wall.name, {wall.lacks}, *time, crossing.total(), wall.read + wall.write});
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

/// Whether a stair is below a line, or above it, for certain.
enum class Side { below, above, open };
Side side(const Estimate& seconds, double low, double high) {
  return seconds.high < low ? Side::below : seconds.low > high ? Side::above : Side::open;
}

/// The stairs beside the ceiling of a line; beside the fastest of its level and threads where that
/// did not run, and for a roof, below which no rate may be: a slow moment hits all alike.
const std::vector<Scaled>* beside(const Machine& machine, const Line& line,
                                  const StairEvidence& evidence) {
  auto* own = value_at(evidence.beside, line.time.ceiling);
  const Ceiling* ceiling = ceiling_named(machine.ceilings, line.time.ceiling);
  const bool roof = line.kind != Kind::wall && line.lacks.empty();
  if ((own && !roof) || !ceiling || ceiling->kind != Ceiling::Kind::bandwidth) return own;
  const std::vector<Scaled>* fastest = own;
  for (const auto& [name, times] : evidence.beside)
    if (const Ceiling* other = ceiling_named(machine.ceilings, name);
        other && other->kind == ceiling->kind && other->level == ceiling->level &&
        other->threads == ceiling->threads &&
        (!fastest || times.back().whole.value > fastest->back().whole.value))
      fastest = &times;
  return fastest;
}

/// The stairs beside one line.
class Position {
 public:
  Position(const Machine& machine, const Line& line, const std::vector<Step>& stairs,
           const StairEvidence& evidence)
      : line_(line),
        stairs_(stairs),
        evidence_(evidence),
        beside_(beside(machine, line, evidence)) {}
  bool paired() const { return beside_ != nullptr; }

  /// The ceiling's slowdown in the same rounds hit the code as much, or by half of it where it
  /// waits for it in part only: a stair is on a side where both cases agree.
  Side of(size_t stair) const {
    const CeilingTime& time = line_.time;
    if (!beside_) return side(stairs_[stair].seconds, time.low.value(), time.high.value());
    const double at = time.time.value();
    const Side first = side((*beside_)[stair].whole, at, at);
    return first == side((*beside_)[stair].half, at, at) ? first : Side::open;
  }

  /// The first stair in front of the line with none after it that is not; nullopt: the top is not.
  std::optional<size_t> passed() const {
    const size_t by_time = first_of([&](size_t i) { return of(i) == Side::below; });
    if (line_.kind != Kind::wall || !bytes(0)) return some(by_time);
    // A wall is an amount: code that moves less is past it, however slowly.
    return some(std::min(by_time, first_of([&](size_t i) { return moves_less(i); })));
  }

  /// The stair up to `passed` whose change brought what the line lacks, and the baseline with it.
  /// Counts tell between which stairs; among several that declare that they can, the one that
  /// gained most.
  std::optional<size_t> broken_by(size_t passed) const {
    size_t first = 1, last = passed;
    bool seen = false;
    for (size_t stair = 1; stair <= passed && !seen; ++stair)
      if (const auto here = brought(stair)) {
        seen = *here;
        if (seen)
          last = stair;
        else
          first = stair + 1;
      }
    std::optional<size_t> able;
    for (size_t stair = last; stair >= first; --stair)
      if (std::ranges::any_of(stairs_[stair].changes,
                              [&](const auto& change) { return can_add(change, line_.lacks); }) &&
          (!able || gain(stair) > gain(*able)))
        able = stair;
    if (able) return able;
    return seen && first == last && brought(last - 1) ? std::optional(last) : std::nullopt;
  }

  /// The ceiling's time in the rounds of the race, as the top saw it.
  Seconds seconds_beside() const {
    if (!beside_) return line_.time.time;
    return Seconds(line_.time.time.value() * stairs_.back().seconds.value /
                   beside_->back().whole.value);
  }

  /// Bytes across the level of a wall, counted; nullopt: they were not.
  std::optional<double> bytes(size_t stair) const {
    if (stair >= evidence_.moved.size()) return std::nullopt;
    const auto* const found = value_at(evidence_.moved[stair], line_.time.level);
    return found ? std::optional(found->total().value()) : std::nullopt;
  }
  bool behind_wall(size_t stair) const {
    const auto counted = bytes(stair);
    if (!counted) return true;
    return is_of_allocation() ? !has(stair) : *counted >= line_.bytes.value() * (1 - tolerance);
  }
  bool past_wall(size_t stair) const {
    const auto counted = bytes(stair);
    if (!counted) return true;
    return is_of_allocation() ? has(stair) : *counted <= line_.bytes.value() * (1 + tolerance);
  }
  /// Less than all bytes of a wall, and than the baseline, whose count shows what caches keep.
  bool moves_less(size_t stair) const {
    constexpr double margin = 0.95;
    const auto own = bytes(stair), first = bytes(0);
    if (!own || !first) return false;
    return is_of_allocation() ? has(stair) : *own < margin * std::min(line_.plain.value(), *first);
  }
  /// The code was seen to have what the line lacks.
  bool has(size_t stair) const {
    if (stair >= evidence_.has.size()) return false;
    return std::ranges::any_of(line_.lacks,
                               [&](Paradigm one) { return evidence_.has[stair].contains(one); });
  }

 private:
  static constexpr double tolerance = 0.02;

  /// Lines read for stores are counted by themselves. The wall's bytes are those of caches that
  /// keep all they can, which other bytes of the code may exceed.
  bool is_of_allocation() const { return line_.lacks.contains(Paradigm::write_allocate); }

  double gain(size_t stair) const {
    return stairs_[stair - 1].seconds.value / stairs_[stair].seconds.value;
  }
  template <class Passes>
  size_t first_of(const Passes& passes) const {
    size_t first = stairs_.size();
    while (first > 0 && passes(first - 1)) --first;
    return first;
  }
  std::optional<size_t> some(size_t stair) const {
    return stair < stairs_.size() ? std::optional(stair) : std::nullopt;
  }

  /// Whether the code of a stair has what the line lacks; nullopt: nothing tells.
  std::optional<bool> brought(size_t stair) const {
    if (line_.kind == Kind::wall) {
      if (!bytes(stair)) return std::nullopt;
      return moves_less(stair) || (!moves_less(stairs_.size() - 1) && past_wall(stair));
    }
    if (has(stair)) return true;
    const bool counted = stair < evidence_.counted.size() && evidence_.counted[stair];
    static const Paradigms in_counts{Paradigm::simd, Paradigm::fma, Paradigm::nt_store};
    const bool told = std::ranges::any_of(line_.lacks, [&](Paradigm one) {
      return one == Paradigm::huge_pages || (counted && in_counts.contains(one));
    });
    return told ? std::optional(false) : std::nullopt;
  }

  const Line& line_;
  const std::vector<Step>& stairs_;
  const StairEvidence& evidence_;
  const std::vector<Scaled>* beside_;
};

/// nullopt: the baseline is not behind it, or the code has what it lacks.
std::optional<LedgerEntry> entry_of(const Line& line, const Position& position, size_t top) {
  const bool is_wall = line.kind == Kind::wall;
  auto passed = position.passed();
  if (passed && (*passed == 0 || position.has(0))) return std::nullopt;
  // Counted bytes say for sure that the baseline is behind a wall.
  const bool counted = is_wall && position.bytes(0);
  if (passed && !counted && position.of(0) != Side::above) return std::nullopt;
  if (is_wall && passed && !position.behind_wall(0)) return std::nullopt;
  // Its time is below the wall's, but it still moves as much.
  if (is_wall && passed && !position.past_wall(top)) return std::nullopt;
  if (!passed && position.has(top)) return std::nullopt;
  LedgerEntry entry;
  entry.kind = line.kind;
  entry.wall = line.wall;
  entry.level = line.time.level;
  entry.ceiling = line.time.ceiling;
  entry.lacks = line.lacks;
  entry.time = line.time.time;
  entry.beside = position.seconds_beside();
  entry.paired = position.paired();
  entry.passed_by = passed;
  if (passed && !line.lacks.empty()) entry.broken_by = position.broken_by(*passed);
  // What an uncounted stair moves is not known; the change that moves less tells.
  if (is_wall && entry.broken_by && !position.bytes(*entry.broken_by))
    entry.passed_by = entry.broken_by;
  return entry;
}

}  // namespace

Texts Roofline::ceilings_near(Seconds best, Seconds baseline) const {
  std::vector<Line> lines = Lines(*this).all();
  // Those between the two first, then by their distance to the nearer one.
  const auto distance = [&](const Line& line) {
    const double seconds = line.time.time.value();
    return std::max({0.0, std::log(best.value() / seconds), std::log(seconds / baseline.value())});
  };
  std::ranges::stable_sort(lines, {}, distance);
  Texts names;
  for (const Line& line : lines) add_once(names, line.time.ceiling);
  return names;
}

std::vector<LedgerEntry> Roofline::ledger(const std::vector<Step>& stairs,
                                          const StairEvidence& evidence) const {
  std::vector<LedgerEntry> entries;
  if (stairs.empty()) return entries;
  for (const Line& line : Lines(*this).all())
    if (auto entry = entry_of(line, Position(machine, line, stairs, evidence), stairs.size() - 1))
      entries.push_back(std::move(*entry));
  return entries;
}

}  // namespace rooftune::roofline
