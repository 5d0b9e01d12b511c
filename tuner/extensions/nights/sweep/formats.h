// Sweep measurements in other programs' formats, with a function and a table row for each, and as
// pages over many nights: how all kernels stand tonight, and their history. Pages link to each
// other by relative paths: they work from a disk and from any server. The caller writes the text,
// atomically.
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
/// night; github: annotations, GitHub Actions' workflow commands.
ROOFTUNE_ENUM(SweepFormat, html, junit, json, github)

/// "triad/openmp/n=1000/host/2 threads/warm" on one line: a series' name, for programs and people.
std::string series_name(const Series& series);
/// The series' names, followed by the study's name where several studies in a night share a series.
Texts names_of(const std::vector<NightOf>& nights);
/// The word for its standing; empty without a verdict.
std::string verdict_word(const Night& night);
/// In plain words: "no change" for "none".
std::string spoken(Standing standing);
/// The standing and its ratio: "regressed 1.31x"; without a verdict the ratio to the baseline.
std::string comparison_text(const NightOf& one);

/// Each plan's newest night as JUnit XML: failures are confirmed regressions, errors failed
/// studies, skipped inconclusive ones. `time` is seconds per call.
std::string junit_format(const SweepHistory& history);
/// A line for each study from the plans' newest nights that somebody should look at.
std::string github_format(const SweepHistory& history);
/// "rooftune-series-1" (docs/schema/series.schema.json): all nights.
std::string series_json_format(const SweepHistory& history);

/// The site's folders: a page for every series, and copies of the study pages, both called
/// <key>.html.
inline constexpr const char *series_folder = "series", *studies_folder = "studies";

/// Text by file name: "index.html" and "series/<key>.html". `studies`: keys of the series that have
/// a study page.
NamedTexts sweep_site(const SweepHistory& history, const TextSet& studies, const std::string& date);

/// Draws a series' times as a chart, every night a point with its figures. It marks the accepted
/// baseline, failed nights, and nights whose compiler differs from the night before. The chart has
/// no style sheet: the page has the palette.
void trend_svg(Markup& page, const Series& series);

}  // namespace rooftune::sweep
