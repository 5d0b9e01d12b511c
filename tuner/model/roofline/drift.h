// How a machine's ceilings moved during a run, and the machine as the run saw it.
#pragma once
#include <string>
#include <vector>

#include "core/fields.h"
#include "roofline/machine.h"

namespace rooftune::roofline {

/// Anchors at the two ends of a run. Empty when nothing was measured again.
struct AnchorReadings {
  CeilingList start, end;
  /// Readings at random moments between trials: the median, the slowest tenth and the fastest.
  CeilingList between = {};
  /// Likewise from the rounds of races, for ceilings that ran beside them.
  CeilingList beside = {};
};

/// One ceiling's rates during a run, over its rate in the machine file.
struct Drift {
  Ceiling ceiling;           ///< as in the machine file
  double low = 1, high = 1;  ///< the slowest and the fastest reading
  /// Over as_seen()'s rate, which a reading above the file's has raised.
  double given() const { return high < 1 ? high : 1; }
  std::string sentence;  ///< "DRAM load 2t: 31.2 GB/s in the machine file, 29.0 GB/s (-7.1 %)
                         ///< at the start, ..."
  static void fields(auto& self, auto& visit) {
    visit("ceiling", self.ceiling.name);
    ROOFTUNE_EACH(visit, self, low, high, sentence);
  }
};
using Drifts = std::vector<Drift>;

/// Whether an anchor's reading holds for the ceiling too: same level or precision, same threads.
bool covers(const Drift& drift, const Ceiling& ceiling);

/// One for each ceiling of the machine that was measured again.
Drifts drift(const Machine& machine, const AnchorReadings& readings);

/// The machine as the run saw it. An anchor stands for the ceilings with its level or precision and
/// as many threads: a reading above it raises them, since a ceiling is the fastest rate ever seen;
/// and the low ends reach down to its slowest reading, so bound, gap and ledger hold at every
/// moment of the run.
Machine as_seen(const Machine& machine, const Drifts& drifts);

}  // namespace rooftune::roofline
