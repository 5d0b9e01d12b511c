// Drift of a machine during a study: ceilings measured again at its start, at its end (anchors) and
// briefly between its trials. Drift makes figures wider; it takes none back.
#pragma once
#include <string>
#include <vector>

#include "roofline/machine.h"

namespace rooftune::roofline {

/// Anchors at the two ends of a run. Empty when nothing was measured again.
struct AnchorReadings {
  std::vector<Ceiling> start, end;
  /// Of readings at random moments between trials: the median, the slowest tenth and the fastest.
  std::vector<Ceiling> between = {};
};

/// Rates of one ceiling during a run, over its rate in the machine file.
struct Drift {
  std::string ceiling;
  Ceiling::Kind kind = Ceiling::Kind::in_core;
  std::string subject;  ///< level of a bandwidth, precision of computing
  int threads = 1;
  double low = 1, high = 1;  ///< the slowest and the fastest reading
  std::string sentence;      ///< "DRAM load 2t: 31.2 GB/s in the machine file, 29.0 GB/s (-7.1 %)
                             ///< at the start, ..."
};

/// Whether an anchor's reading holds for the ceiling too: same level or precision, same threads.
bool covers(const Drift& drift, const Ceiling& ceiling);

/// One per anchor of the machine.
std::vector<Drift> drift(const Machine& machine, const AnchorReadings& readings);

/// The machine as the run saw it. An anchor stands for the ceilings of its level or precision with
/// as many threads: a reading above it raises them, since a ceiling is the fastest rate ever seen;
/// and the low ends reach down to its slowest reading, so bound, gap and ledger hold for every
/// moment of the run.
Machine as_seen(const Machine& machine, const std::vector<Drift>& drifts);

}  // namespace rooftune::roofline
