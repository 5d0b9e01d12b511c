// A staircase as a waterfall: a bar for each step from the time before to its own, on a logarithmic
// axis, so that the gains' lengths add up to the speed-up; and the ceilings and walls as lines
// across all bars, so that each line lies in the bar of the step that broke it.
#pragma once
#include "report/svg.h"
#include "study/result.h"

namespace rooftune::report {

/// `width`: narrow pictures have the steps' names above the bars. A picture without marks where the
/// result has no staircase with a time.
Scene waterfall(const StudyResult& result, double width = chart_width);

}  // namespace rooftune::report
