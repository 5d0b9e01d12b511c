// tune plot: the chart or the table of a study, or of several, as a file for a paper.
#include <fmt/format.h>

#include "cli/options.h"
#include "cli/study_files.h"
#include "core/file.h"
#include "report/chart.h"
#include "report/comparison.h"

namespace rooftune::cli {
namespace {

constexpr const char *chart_ending = ".svg", *table_ending = ".md";

/// The subject of the plot, one study or several.
struct Plotted {
  std::vector<StudyResult> studies;
  std::optional<Comparison> comparison;  ///< of more than one
};

std::string chart_of(const Plotted& plotted, Chart chart) {
  const StudyResult& first = plotted.studies.front();
  if (chart == Chart::convergence) {
    if (plotted.comparison)
      throw Error("several studies have no convergence in common", "--chart convergence",
                  "plot one study, or --chart roofline");
    return convergence_svg(first);
  }
  for (const StudyResult& study : plotted.studies)
    if (!study.bound.known())
      throw Error("there is no roofline: neither work nor traffic is stated",
                  "study " + study.identity.id, "plot --chart convergence");
  return plotted.comparison ? comparison_svg(plotted.studies, *plotted.comparison)
                            : roofline_svg(first);
}

std::string table_of(const Plotted& plotted) {
  return plotted.comparison ? paper_table(plotted.studies, *plotted.comparison)
                            : paper_table(plotted.studies.front());
}

void write_plot(const Plotted& plotted, const PlotOptions& options) {
  const std::filesystem::path file = options.output;
  if (file.has_parent_path()) make_folders(file.parent_path());
  write_for_user(file, file.extension() == table_ending ? table_of(plotted)
                                                        : chart_of(plotted, options.chart));
}

}  // namespace

int plot_command(const PlotOptions& options) {
  const std::string ending = std::filesystem::path(options.output).extension().string();
  if (ending != table_ending && ending != chart_ending)
    throw Error(fmt::format("no figure ends with \"{}\"", ending), "--output " + options.output,
                "a chart as .svg (rsvg-convert makes PDF of it), a table as .md (pandoc makes "
                "LaTeX of it)");
  const std::filesystem::path results =
      std::filesystem::absolute(results_directory(options.results));
  Plotted plotted;
  if (options.studies.empty())
    plotted.studies.push_back(found_study(results, {.kernel = options.kernel}).result());
  for (const std::string& word : options.studies)
    plotted.studies.push_back(study_by_word(word, options.kernel, results).result());
  if (plotted.studies.size() > 1) plotted.comparison = compare(plotted.studies);
  write_plot(plotted, options);
  fmt::print("plot: {}\n", options.output);
  return 0;
}

}  // namespace rooftune::cli
