// Everything on one trial: its build and run, the outcome, its limit and the knobs against it.
#pragma once
#include <string>

#include "store/study_record.h"
#include "study/result.h"

namespace rooftune::cli {

/// By its number, or "best" or "baseline". Throws Error for any other.
const Trial& chosen_trial(const StudyResult& report, const std::string& word);
/// Prints it; its build needs the kernel's folder, and is left out where the folder is gone.
void explain_trial(const StudyRecord& study, const StudyResult& report, const Trial& trial);
/// Every line four columns in.
std::string indented(const std::string& text);

}  // namespace rooftune::cli
