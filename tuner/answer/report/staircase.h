// A published optimisation path as measured on this machine: for the terminal, the page and JSON.
#pragma once
#include <string>

#include "core/json.h"
#include "report/markup.h"
#include "report/terminal.h"
#include "study/result.h"

namespace rooftune::report {

/// Empty without a staircase.
std::string staircase_text(const StudyResult& report, const TerminalStyle& style);
void staircase_section(Markup& page, const StudyResult& report);
/// null without a staircase.
Json staircase_json(const StudyResult& report);

/// "least intensity L2 1.2, DRAM 0.08 flop/B": nominal flops over least bytes, per level with
/// traffic; empty without flops.
std::string intensities_text(const StudyResult& report);

}  // namespace rooftune::report
