// Pages of many nights of sweeps: state of all kernels tonight, and its history. Files with
// relative references among each other: they work from a disk and from any server.
#pragma once
#include <map>
#include <set>
#include <string>

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

}  // namespace rooftune::sweep
