// A test program counts by instrumentation, as `tune` does.
#pragma once
#include "instrumentation/extension.h"

namespace rooftune::test {

inline const bool with_instrumentation = (add_instrumentation(), true);

}  // namespace rooftune::test
