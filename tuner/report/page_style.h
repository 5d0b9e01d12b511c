// The look of the pages: one style sheet for light, dark and print, and the script that sorts
// tables.
#pragma once

namespace rooftune::inline report {

extern const char* const page_style;
/// Sorts a table by the column whose head is clicked; the page is complete without it. Free of <
/// and &.
extern const char* const page_script;
/// What a browser may do with a page: nothing but our style sheets and page_script, which is named
/// by its SHA-256.
extern const char* const page_policy;

}  // namespace rooftune::inline report
