// Sections about a machine, shared by its own page and the pages of studies.
#pragma once
#include "report/markup.h"
#include "roofline/machine.h"

namespace rooftune::report {

/// Every ceiling with figure, interval, source, date, clock and samples.
void html_ceilings(Markup& page, const Machine& machine);

}  // namespace rooftune::report
