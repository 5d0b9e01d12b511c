// A roofline view drawn in characters; the caller prints it.
#pragma once
#include "report/roofline_view.h"
#include "report/terminal.h"

namespace rooftune::inline report {

/// Chart, axes and a key of the roofs; no line is wider than `style.width`.
std::string roofline_characters(const RooflineView& view, const TerminalStyle& style);

}  // namespace rooftune::inline report
