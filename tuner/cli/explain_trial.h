// The whole story of one trial: what was built and run, how it went, what limits it and which knob
// is for that.
#pragma once
#include <string>

#include "report/study_report.h"
#include "store/record_store.h"

namespace rooftune {

/// Prints it. Reads kernel and space again from where they were; throws Error when they are gone.
void explain_trial(const StoredStudy& study, const StudyReport& report, const Trial& trial);
/// Every line four columns in.
std::string indented(const std::string& text);

}  // namespace rooftune
