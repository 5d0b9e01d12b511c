// Everything on one trial: its build and run, the outcome, its limit and the knobs against it.
#pragma once
#include <string>
#include <vector>

#include "kernel/kernel.h"
#include "space/search_space.h"
#include "store/study_record.h"
#include "study/result.h"

namespace rooftune::cli {

/// By its number, or "best" or "baseline". Throws Error for any other.
const Trial& chosen_trial(const StudyResult& report, const std::string& word);
/// Prints it; its build needs the kernel's folder, and is left out where the folder is gone.
void explain_trial(const StudyRecord& study, const StudyResult& report, const Trial& trial);
/// Every line four columns in.
std::string indented(const std::string& text);

/// A study's variants as plain source, from today's folder of the kernel.
class VariantSource {
 public:
  /// Throws Error without the folder, or for a study of a program.
  explicit VariantSource(const StudyRecord& study);
  /// The kernel's source as this configuration compiles it: one text, knobs as their numbers,
  /// branches of other configurations gone; the flags of its knobs stand in front.
  std::string text(const Configuration& configuration) const;
  /// Names of a variant's files with contents changed since the study.
  std::vector<std::string> changed() const;
  /// Difference of the trial's source from the baseline's, as by `diff -u`; empty without any.
  /// Throws Error without diff.
  std::string difference(const Trial& trial) const;

 private:
  const StudyRecord& study_;
  Kernel kernel_;
  SearchSpace space_;
  const Backend* backend_;
};

}  // namespace rooftune::cli
