// The look of the pages: one style sheet for light, dark and print, and the script that sorts
// tables.
#pragma once

namespace rooftune::inline report {

extern const char* const page_style;
/// Sorts a table by the column whose head is clicked; the page is complete without it. Free of <
/// and &.
extern const char* const page_script;

}  // namespace rooftune::inline report
