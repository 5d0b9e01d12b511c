// Charts as SVG text: self-contained, deterministic, light and dark, safe to put into a page.
#pragma once
#include <string>

#include "study/result.h"

namespace rooftune::report {

/// Log-log roofline of a study: ceilings, walls, bound, baseline and best; beside it the climb from
/// the baseline to the best with every trial, on an enlarged scale.
std::string roofline_svg(const StudyResult& report);
/// Best so far against evaluations, with the bound.
std::string convergence_svg(const StudyResult& report);
/// A machine's roofs with the whole lattice of its ceilings.
std::string machine_svg(const Machine& machine);
/// Every ceiling of a machine as a point, in rows by operation: the lattice as a list.
std::string ladder_svg(const Machine& machine);

}  // namespace rooftune::report
