// Pages of many nights of sweeps: state of all kernels tonight, and its history. Files with
// relative references among each other: they work from a disk and from any server.
#pragma once
#include <map>
#include <set>
#include <string>

#include "report/markup.h"
#include "sweep/series.h"

namespace rooftune::sweep {

/// Folders of the site: a page of every series, and copies of the pages of studies, both called
/// <key>.html.
inline constexpr const char *series_folder = "series", *studies_folder = "studies";

/// Text by file name: "index.html" and "series/<key>.html". `studies`: keys of the series with a
/// page of their study.
std::map<std::string, std::string> sweep_site(const SweepHistory& history,
                                              const std::set<std::string>& studies,
                                              const std::string& date);

/// One series of nights as a chart: the time above, the gap and the rate of the ceiling below.
struct TrendSize {
  double width, time_height, gap_height;
  bool points;  ///< every night as a point with its figures
};
/// Readable on a telephone, and many beside each other; and one alone.
inline constexpr TrendSize small_trend{400, 96, 56, false}, large_trend{860, 230, 130, true};

/// Marked are the accepted baseline, nights with another compiler than the one before and failed
/// nights. Without a style sheet of its own: the page has the palette.
void trend_svg(Markup& page, const Series& series, const TrendSize& size);

}  // namespace rooftune::sweep
