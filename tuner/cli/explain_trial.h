// The whole story of one trial: what was built and run, how it went, what limits it and which knob
// is for that.
#pragma once
#include <string>

#include "store/study_record.h"
#include "study/result.h"

namespace rooftune::cli {

/// By its number, or "best" or "baseline". Throws Error when the study has none of that name.
const Trial& chosen_trial(const StudyResult& report, const std::string& word);
/// Prints it; how it was built needs the kernel's folder, and is left out where that is gone.
void explain_trial(const StudyRecord& study, const StudyResult& report, const Trial& trial);
/// Every line four columns in.
std::string indented(const std::string& text);

}  // namespace rooftune::cli
