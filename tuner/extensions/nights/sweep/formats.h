// Measurements of sweeps in the formats of other programs: one function and one row of the table
// for each. The caller writes the text, atomically.
#pragma once
#include <string>
#include <vector>

#include "sweep/series.h"

namespace rooftune::sweep {

enum class SweepFormat {
  html,    ///< a folder of pages (site.h)
  junit,   ///< for GitLab, Jenkins and GitHub
  json,    ///< all series with every night
  github,  ///< annotations: workflow commands of GitHub Actions
};
inline Words words(SweepFormat) {
  static constexpr const char* all[] = {"html", "junit", "json", "github"};
  return all;
}

/// "triad/openmp/n=1000/host/2 threads/warm" on one line: the name of a series, for programs and
/// people.
std::string series_name(const Series& series);
/// The same with the study's name behind it where several studies of a night share the series.
std::vector<std::string> names_of(const std::vector<NightOf>& nights);
/// The word of its standing; empty without a verdict.
std::string verdict_word(const Night& night);
/// In plain words: "no change" for "none".
std::string spoken(Standing standing);
/// With the ratio behind it: "regressed 1.31x"; without a verdict the ratio to the baseline.
std::string comparison_text(const NightOf& one);

/// JUnit XML of the newest night of each plan: failures are confirmed regressions, errors failed
/// studies, skipped inconclusive ones. `time` is seconds per call.
std::string junit_format(const SweepHistory& history);
/// A line for each study of the newest night of each plan that somebody should look at.
std::string github_format(const SweepHistory& history);
/// "rooftune-series-1" (docs/schema/series.schema.json): all nights.
std::string series_json_format(const SweepHistory& history);

}  // namespace rooftune::sweep
