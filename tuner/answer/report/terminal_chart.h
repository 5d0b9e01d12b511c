// A roofline view drawn in characters; the caller prints it.
#pragma once
#include "report/roofline_view.h"
#include "report/terminal.h"

namespace rooftune::report {

/// Chart, axes and a key of the roofs; no line is wider than `style.width`.
std::string roofline_characters(const RooflineView& view, const TerminalStyle& style);
/// Ten lines: the applicable ceilings, the bound, baseline and best, the axes' units first.
std::vector<std::string> small_roofline(RooflineView view, const TerminalStyle& style);

}  // namespace rooftune::report
