// A test program has all extensions of this build, as `tune` has.
#pragma once
#include "cli/extensions.h"

namespace rooftune::test {

inline const bool with_extensions = (add_extensions(), true);

}  // namespace rooftune::test
