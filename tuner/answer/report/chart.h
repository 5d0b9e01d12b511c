// Charts as SVG text: self-contained, deterministic, light and dark, safe to put into a page.
#pragma once
#include <string>

#include "study/result.h"

namespace rooftune::report {

/// Log-log roofline of a study: ceilings, walls, bound, trials, baseline and best.
std::string roofline_svg(const StudyResult& result);
/// Best so far against evaluations, with the bound.
std::string convergence_svg(const StudyResult& result);
/// A machine's roofs with the whole lattice of its ceilings.
std::string machine_svg(const Machine& machine);

}  // namespace rooftune::report
