// Whether a machine still is what its file says: a few ceilings (anchors) measured again at the
// start and at the end of a run.
#pragma once
#include <string>
#include <vector>

#include "roofline/machine.h"

namespace rooftune::inline roofline {

/// Anchors at the two ends of a run; a ceiling that could not be reproduced comes with stable =
/// false. Empty when nothing was measured again.
struct AnchorReadings {
  std::vector<Ceiling> start, end;
};

/// Moves up to this share are not drift.
inline constexpr double drift_limit = 0.02;

struct Drift {
  enum class Verdict {
    steady,    ///< within the limit or the noise
    rescaled,  ///< moved before the run, and steady during it
    changed,   ///< moved during the run
    unknown    ///< not reproduced: the machine is too busy to say
  };
  std::string ceiling;
  Ceiling::Kind kind = Ceiling::Kind::in_core;
  std::string level;  ///< of bandwidth anchors
  Verdict verdict = Verdict::unknown;
  double factor = 1;     ///< rate now over rate in the file; 1 unless rescaled
  std::string sentence;  ///< "DRAM load 2t: 31.2 GB/s in the file, 29.0 and 29.1 GB/s now (-7 %)"
};
const char* to_text(Drift::Verdict verdict);

/// One verdict per anchor of `readings.start`. An anchor drifted when it differs by more than
/// drift_limit and beyond both intervals.
std::vector<Drift> drift(const Machine& machine, const AnchorReadings& readings);

/// The machine with the rates of what an anchor stands for multiplied by its factor: the in-core
/// anchor for computing and the innermost level, a level's anchor for that level.
Machine rescaled(const Machine& machine, const std::vector<Drift>& drifts);

}  // namespace rooftune::inline roofline
