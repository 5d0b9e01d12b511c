// A machine as page and as table.
#pragma once
#include <string>

#include "report/markup.h"
#include "roofline/machine.h"

namespace rooftune::report {

/// A machine's roofline and every ceiling with value, interval, source and date. `date`: when the
/// page was made, empty to leave it out.
std::string machine_page(const Machine& machine, const std::string& date);
/// Every ceiling with figure, interval, source, date and clock.
HtmlTable ceilings_table(const Machine& machine, bool intervals = true);

}  // namespace rooftune::report
