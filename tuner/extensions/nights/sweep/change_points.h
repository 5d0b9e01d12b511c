// Changes of level in a series of times: for a look back over many nights, not for alarms; those
// measure old and new side by side.
#pragma once
#include <cstddef>
#include <vector>

#include "sweep/series.h"

namespace rooftune::sweep {

struct ChangePoint {
  std::size_t at = 0;            ///< position of the first value of the new level
  double before = 0, after = 0;  ///< medians of the levels on both sides
  double ratio() const { return after / before; }
};

/// Levels of at least three values with differences above 2 %: least absolute deviations of the
/// logarithms (L1 Potts), their number by a criterion after Bayes. Only the newest 500 values
/// enter. Values must be above 0.
std::vector<ChangePoint> change_points(const std::vector<double>& values);

/// The same of the times of a series; `at` is a position in `nights`.
std::vector<ChangePoint> change_points(const Series& series);

}  // namespace rooftune::sweep
