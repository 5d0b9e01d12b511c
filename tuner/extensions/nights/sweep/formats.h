// Measurements of sweeps in the formats of other programs, one function and one row of the table
// for each, and as pages of many nights: state of all kernels tonight, and its history. Pages are
// files with relative references among each other: they work from a disk and from any server. The
// caller writes the text, atomically.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/list.h"
#include "report/markup.h"
#include "sweep/outcome.h"

namespace rooftune::sweep {

/// html: a folder of pages; junit: for GitLab, Jenkins and GitHub; json: all series with every
/// night; github: annotations, workflow commands of GitHub Actions.
ROOFTUNE_ENUM(SweepFormat, html, junit, json, github)

/// "triad/openmp/n=1000/host/2 threads/warm" on one line: the name of a series, for programs and
/// people.
std::string series_name(const Series& series);
/// The same with the study's name behind it where several studies of a night share the series.
Texts names_of(const std::vector<NightOf>& nights);
/// The word of its standing; empty without a verdict.
std::string verdict_word(const Night& night);
/// In plain words: "no change" for "none".
std::string spoken(Standing standing);
/// The standing and its ratio: "regressed 1.31x"; without a verdict the ratio to the baseline.
std::string comparison_text(const NightOf& one);

/// JUnit XML of the newest night of each plan: failures are confirmed regressions, errors failed
/// studies, skipped inconclusive ones. `time` is seconds per call.
std::string junit_format(const SweepHistory& history);
/// A line for each study of the newest night of each plan that somebody should look at.
std::string github_format(const SweepHistory& history);
/// "rooftune-series-1" (docs/schema/series.schema.json): all nights.
std::string series_json_format(const SweepHistory& history);

/// Folders of the site: a page of every series, and copies of the pages of studies, both called
/// <key>.html.
inline constexpr const char *series_folder = "series", *studies_folder = "studies";

/// Text by file name: "index.html" and "series/<key>.html". `studies`: keys of the series with a
/// page of their study.
NamedTexts sweep_site(const SweepHistory& history, const TextSet& studies, const std::string& date);

/// The times of a series as a chart, every night a point with its figures. Marked are the accepted
/// baseline, nights with another compiler than the one before and failed nights. Without a style
/// sheet of its own: the page has the palette.
void trend_svg(Markup& page, const Series& series);

}  // namespace rooftune::sweep
