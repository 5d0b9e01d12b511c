// The rooflines of a study and of a machine.
#pragma once
#include <string>

#include "report/svg.h"
#include "study/result.h"

namespace rooftune::report {

/// Log-log roofline of a study: its staircase as arrows from step to step at the counted intensity,
/// with the ceilings and walls in the words of the table. Labels without a place in the plane
/// stand below it.
Scene roofline_chart(const StudyResult& result, double width = chart_width);
/// A machine's roofs with the whole lattice of its ceilings.
std::string machine_svg(const Machine& machine);

}  // namespace rooftune::report
