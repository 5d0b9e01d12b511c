// Studies from the terminal: run with progress shown, explained, and written as pages.
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
  fs::path page;  ///< HTML written; empty when it failed or was not wanted
  Texts warnings;
};

/// Output of a running study on standard error: nothing; the process it waits for; the rewritten
/// lines of a terminal as well; all lines.
enum class Shown { nothing, waits, line, all };
/// Probes a new host, runs the study, writes page, chart and index. Throws Error for a fault of the
/// user's input or environment.
TunedStudy tune(const StudySpec& spec, Shown shown);

/// A quick probe when the machine is "host", without an earlier probe.
void probe_if_never_probed(const std::string& machine, bool quiet);

/// By its number, or "best" or "baseline". Throws Error for any other.
const Trial& chosen_trial(const StudyResult& report, const std::string& word);

/// A study's variants as plain source, from today's folder of the kernel.
class VariantSource {
 public:
  /// Throws Error without the folder, or for a study of a program.
  explicit VariantSource(const StudyRecord& study);
  /// The kernel's source as this configuration compiles it: one text, knobs as their numbers,
  /// branches of other configurations gone; the flags of its knobs stand in front.
  std::string text(const Configuration& configuration) const;
  /// Names of a variant's files with contents changed since the study.
  Texts changed() const;
  /// Difference of the trial's source from the baseline's, as by `diff -u`; empty without any.
  /// Throws Error without diff.
  std::string difference(const Trial& trial) const;

 private:
  const StudyRecord& study_;
  Kernel kernel_;
  SearchSpace space_;
  const Backend* backend_;
};

/// The file of a page, by a name of the tool's or of the user's own choice.
struct PagePlace {
  fs::path file;
  bool typed = false;  ///< by the user: links are followed
};
/// Writes the page and its chart beside it.
void write_study_page(const StudyRecord& study, const StudyResult& result, const PagePlace& page);
/// Writes an HTML page and its chart (.svg) beside it, the folder too; only the chart where the
/// page would have its name. Throws Error.
void write_page(const PagePlace& page, const std::string& text, const std::string& chart);

/// The program with the connector in its environment and the time in its kernels as its metric,
/// unless one is named. Without a space the program is run once to learn its choices, and the space
/// is written below the results. Throws Error for a missing connector, and for an application
/// without choices from outside.
StudySpec with_connector(const TuneOptions& options);

}  // namespace rooftune::cli
