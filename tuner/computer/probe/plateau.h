// Memory levels from a size sweep: plateaus of bandwidth, named with the reported caches as a
// prior. Points come in ascending size, each with the best rate from several windows.
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

/// Consecutive sizes with the same bandwidth.
struct Plateau {
  double first = 0, last = 0;  ///< sizes where its flat part begins and ends [B]
  double capacity = 0;         ///< last size within 10 % of its rate [B]
  double rate = 0;             ///< [B/s]
  int points = 0;
};
using Plateaus = std::vector<Plateau>;

/// A plateau is at least three consecutive sizes over a factor 1.5 within 5 %, flat compared with
/// the slopes beside it and at least 1.25 times slower than the plateau before. Since noise only
/// slows, a size is first given the best rate at or above it. Sizes between one and two times a
/// reported cache, where it serves a part, form no plateau. Innermost first.
Plateaus plateaus(const SweepPoints& sweep, const ReportedCaches& reported = {});

/// The level with this name; the end for none.
inline auto named(MemoryLevels& levels, const std::string& name) {
  return std::ranges::find(levels, name, &MemoryLevel::name);
}

/// The levels found, and what was assumed.
struct Levels {
  MemoryLevels levels;  ///< innermost first, DRAM last
  Plateaus evidence;    ///< one per level; memory's may be its largest size alone
  Texts notes;
};

/// Names the plateaus. The outermost is memory; the others get the names of the reported caches
/// that are closest in size, in order, or L1, L2, ... if there are more plateaus than reported
/// caches. A reported cache further out than a found one counts without a plateau if sizes that
/// only it holds are faster than the next level. A level's largest capacity is the reported one,
/// unless the sweep falls to the next level's rate well below that; then it is the size where the
/// rate has fallen.
Levels memory_levels(const SweepPoints& sweep, const ReportedCaches& reported);

/// Whether each of `threads` has its own cache, judged by walks over more than half of it: `one`
/// thread's rate, the rate of `all` together, and the `next` level's rate. In a shared cache, all
/// walks together would exceed the capacity.
bool caches_apart(double one, double all, int threads, double next);

/// Sizes to sweep: steps by a factor 1.25 from 8 KiB to `largest`, and fractions of the reported
/// sizes; multiples of `granule` bytes, ascending, without duplicates.
Numbers sweep_sizes(const ReportedCaches& reported, double largest, double granule);

}  // namespace rooftune::probe
