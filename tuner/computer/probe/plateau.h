// Memory levels from a size sweep: plateaus of bandwidth, named with the reported caches as a
// prior. Points come in ascending size, each the best of several reproduced windows.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "core/list.h"
#include "os/topology.h"
#include "roofline/machine.h"

namespace rooftune::probe {

/// Bandwidth [B/s] of repeated walks through `bytes`.
struct SweepPoint {
  double bytes = 0, rate = 0;
};
using SweepPoints = std::vector<SweepPoint>;

/// Consecutive sizes with one bandwidth.
struct Plateau {
  double first = 0, last = 0;  ///< sizes of its flat part [B]
  double capacity = 0;         ///< last size within 10 % of its rate [B]
  double rate = 0;             ///< [B/s]
  int points = 0;
};
using Plateaus = std::vector<Plateau>;

/// A plateau is at least three consecutive sizes over a factor 1.5 within 5 %, flat compared with
/// the slopes beside it and at least 1.25 times slower than the plateau before. Since noise only
/// slows, a size is first given the best rate of any size above it. Sizes between one and two times
/// a reported cache, where it serves a part, are no plateau of their own. Innermost first.
Plateaus plateaus(const SweepPoints& sweep, const ReportedCaches& reported = {});

/// The level of this name; the end for none.
inline auto named(std::vector<MemoryLevel>& levels, const std::string& name) {
  return std::ranges::find(levels, name, &MemoryLevel::name);
}

/// The levels found, with the assumptions made.
struct Levels {
  std::vector<MemoryLevel> levels;  ///< innermost first, DRAM last
  Plateaus evidence;                ///< one per level; memory's may be its largest size alone
  Texts notes;
};

/// Names the plateaus. The outermost is memory; the others get the names of the reported caches
/// with the closest sizes, in order, or L1, L2, ... with more plateaus than reported caches. A
/// reported cache outside of a found one counts without a plateau where sizes for it alone are
/// faster than the next level. The largest capacity of a level is the reported one, unless the
/// sweep falls to the next level's rate well below; then it is the size of this fall.
Levels memory_levels(const SweepPoints& sweep, const ReportedCaches& reported);

/// Whether each of `threads` has a cache of its own, judged by walks of more than half of it: by
/// the rates of one thread, of all together, and of one in the next level. In a shared cache all
/// together would exceed its capacity.
bool caches_apart(double one, double all, int threads, double next);

/// Sizes to sweep: geometric steps of 1.25 from 8 KiB to `largest`, and fractions of the reported
/// sizes; multiples of `granule` bytes, ascending, without duplicates.
Numbers sweep_sizes(const ReportedCaches& reported, double largest, double granule);

}  // namespace rooftune::probe
