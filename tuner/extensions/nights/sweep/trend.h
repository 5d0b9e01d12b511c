// One series of nights as a chart: the time above, the gap and the rate of the ceiling below.
#pragma once
#include <string>
#include <vector>

#include "report/markup.h"
#include "sweep/change_points.h"

namespace rooftune::sweep {

struct TrendSize {
  double width, time_height, gap_height;
  bool points;  ///< every night as a point with its figures
};
/// Readable on a telephone, and many beside each other; and one alone.
inline constexpr TrendSize small_trend{400, 96, 56, false}, large_trend{860, 230, 130, true};

/// Marked are change points, the accepted baseline, nights with another compiler than the one
/// before and failed nights. Without a style sheet of its own: the page has the palette.
void trend_svg(Markup& page, const Series& series, const std::vector<ChangePoint>& changes,
               const TrendSize& size);

}  // namespace rooftune::sweep
