// A drawing of a roofline has few ceilings, in a chosen order: "without SIMD", below it "without
// SIMD and ILP" (Williams, Waterman, Patterson 2009). A measured machine has a lattice: one rate
// for each combination of paradigms that a micro-kernel has. People read those with one lack at a
// time, and the problem (its precision, its mix of loads and stores) decides which matter:
//  1. a ceiling lacks the union of its siblings' paradigms, less its own;
//  2. what the fastest lacks costs nothing here;
//  3. each single lack that remains is a line, at the fastest rate with that lack.
// All comparisons are between this problem's times, never between rates: only so do walls and
// ceilings in different units stand in one order.
#include "roofline/line.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "core/list.h"
#include "roofline/rates.h"

namespace rooftune::roofline {
namespace {

using Kind = LedgerEntry::Kind;

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

Paradigms union_of(const Ceilings& group) {
  Paradigms all;
  for (const Ceiling* ceiling : group)
    all.insert(ceiling->requirements.begin(), ceiling->requirements.end());
  return all;
}

/// One ceiling for each single lack, the fastest with it; none where a ceiling that lacks more is
/// as fast, since the single lack then explains nothing.
std::vector<Lacking> single_lacks(const Ceilings& group) {
  const Paradigms all = union_of(group);
  std::vector<Lacking> sorted;
  for (const Ceiling* ceiling : group)
    sorted.push_back({ceiling, difference(all, exploits(*ceiling))});
  stable_sort(sorted, std::greater(), [](const Lacking& one) { return one.ceiling->rate.value; });
  if (sorted.empty()) return {};
  const Paradigms free = sorted.front().lacks;
  std::vector<Lacking> result;
  std::vector<Paradigms> faster;
  for (Lacking& one : sorted) {
    one.lacks = difference(one.lacks, free);
    const bool explained =
        any_of(faster, [&](const Paradigms& other) { return holds(other, one.lacks); });
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
    stable_sort(limits_, std::greater(), [](const Line& line) { return line.time.time; });
    return limits_;
  }

 private:
  bool is_level(const CeilingTime& part) const { return machine_.level(part.level) != nullptr; }

  Kind kind_of(const CeilingTime& part) const {
    if (is_level(part)) return Kind::bandwidth;
    const Ceiling* ceiling = ceiling_named(machine_.ceilings, part.ceiling);
    return ceiling && ceiling->kind == Ceiling::Kind::launch ? Kind::launch : Kind::in_core;
  }

  /// Adds the roof for one level or precision and the ceilings below it.
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

  Ceilings candidates(const CeilingTime& part) const {
    Ceilings result;
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

  /// Adds a wall, at the best rate of the outermost level that its traffic crosses.
  void add_wall(const Wall& wall) {
    for (auto level = machine_.levels.rbegin(); level != machine_.levels.rend(); ++level) {
      if (!wall.level.empty() && wall.level != level->name) continue;
      const auto crossing = roofline_.least_traffic(level->name, wall.read, wall.write);
      // Lines allocated and then written move as updates do.
      const auto rates = streams(bandwidth_ceilings(machine_, level->name, threads_), true);
      if (const auto time = stream_time(rates, crossing, machine_.is_one_way(*level))) {
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

}  // namespace

std::vector<Line> lines(const Roofline& roofline) { return Lines(roofline).all(); }

}  // namespace rooftune::roofline
