// Every trial's time and the best so far against evaluations, with the bound as the floor.
#pragma once
#include "report/svg.h"
#include "study/result.h"

namespace rooftune::report {

Scene convergence(const StudyResult& result, double width = chart_width);

}  // namespace rooftune::report
