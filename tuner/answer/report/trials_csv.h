// All trials in a study as a table that other programs read.
#pragma once
#include <string>

#include "core/modules.h"
#include "study/result.h"

namespace rooftune::report {

/// The file that the page's button saves: a head, and a line for each trial with times in seconds
/// (the call's time is empty where the trial did not run) and a column for each knob.
std::string trials_csv(const StudyResult& result);

}  // namespace rooftune::report
