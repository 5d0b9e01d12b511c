// Studies from the terminal: runs them with progress, explains them, and writes their pages.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "cli/options.h"
#include "core/list.h"
#include "kernel/kernel.h"
#include "space/search_space.h"
#include "store/study_record.h"
#include "study/result.h"
#include "study/run_study.h"

namespace rooftune::cli {

struct TunedStudy : FinishedStudy {
  fs::path page;  ///< the HTML that was written; empty when that failed or was not wanted
  Texts warnings;
};

/// What a running study shows on standard error: nothing; which process it waits for; also a
/// terminal's rewritten lines; all lines.
enum class Shown { nothing, waits, line, all };
/// Probes a new host, runs the study, writes page, chart and index. Throws Error for a fault in the
/// user's input or environment.
TunedStudy tune(const StudySpec& spec, Shown shown);

/// Probes quickly if the machine is "host" and was never probed.
void probe_if_never_probed(const std::string& machine, bool quiet);

/// The trial by its number, or "best" or "baseline". Throws Error for any other word.
const Trial& chosen_trial(const StudyResult& report, const std::string& word);

/// A study's variants as plain source, from today's kernel folder.
class VariantSource {
 public:
  /// Throws Error without the folder, or for a program's study.
  explicit VariantSource(const StudyRecord& study);
  /// The kernel's source as this configuration compiles it: one text, knobs as numbers, without
  /// other configurations' branches; the flags from its knobs stand in front.
  std::string text(const Configuration& configuration) const;
  /// The files in a variant whose contents changed since the study.
  Texts changed() const;
  /// How the trial's source differs from the baseline's, as `diff -u` prints it; empty if it does
  /// not. Throws Error without diff.
  std::string difference(const Trial& trial) const;

 private:
  const StudyRecord& study_;
  Kernel kernel_;
  SearchSpace space_;
  const Backend* backend_;
};

/// A page's file, whose name the tool or the user chose.
struct PagePlace {
  fs::path file;
  bool typed = false;  ///< by the user: links are followed
};
/// Writes the page and its chart beside it.
void write_study_page(const StudyRecord& study, const StudyResult& result, const PagePlace& page);
/// Writes an HTML page and its chart (.svg) beside it, the folder too; only the chart if the page
/// would have the chart's name. Throws Error.
void write_page(const PagePlace& page, const std::string& text, const std::string& chart);

/// The program with the connector in its environment and the time in its kernels as its metric,
/// unless a metric is named. Without a space the program is run once to learn what it leaves open,
/// and the space is written below the results. Throws Error for a missing connector, and for an
/// application that leaves nothing open.
StudySpec with_connector(const TuneOptions& options);

}  // namespace rooftune::cli
