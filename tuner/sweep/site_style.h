// The look of the pages of sweeps beyond that of all pages, and the script that filters them.
#pragma once

namespace rooftune::inline sweep {

extern const char* const sweep_style;
/// Hides what does not have all the words typed; the page is complete without it. Free of < and &.
extern const char* const filter_script;
/// page_policy with filter_script.
extern const char* const sweep_policy;

}  // namespace rooftune::inline sweep
