// Two studies beside each other: machines, compilers, days, problems.
#pragma once
#include <string>

#include "report/terminal.h"
#include "study/result.h"

namespace rooftune::report {

/// One screen: whose best is faster, a column for each study with the circumstances that differ,
/// answers and staircases, and the knobs that differ between their bests.
std::string terminal_comparison(const StudyResult& first, const StudyResult& second,
                                const TerminalStyle& style);

}  // namespace rooftune::report
