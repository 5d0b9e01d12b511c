// Where a series of times changed its level: for eyes that look back over many nights, not for
// alarms, which measure old and new side by side.
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

/// Levels of at least three values that differ by more than 2 %: least absolute deviations of the
/// logarithms (L1 Potts), their number by a criterion after Bayes. Of more than 500 values only the
/// newest 500 are looked at. Values must be above 0.
std::vector<ChangePoint> change_points(const std::vector<double>& values);

/// The same of the times of a series; `at` is a position in `nights`.
std::vector<ChangePoint> change_points(const Series& series);

}  // namespace rooftune::sweep
