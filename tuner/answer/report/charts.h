// Rooflines for a study and a machine.
#pragma once
#include <string>

#include "report/svg.h"
#include "study/result.h"

namespace rooftune::report {

/// A study's log-log roofline: its staircase as arrows from step to step at the counted intensity,
/// with the ceilings and walls named as in the table. Labels that find no place in the plane stand
/// below it.
Scene roofline_chart(const StudyResult& result, double width = chart_width);
/// A machine's roofs with all its ceilings.
std::string machine_svg(const Machine& machine);

}  // namespace rooftune::report
