// Whether tests run at night (scripts/nightly), with all variants and as a release compiles them.
// By day, where somebody waits, they take a few.
#pragma once
#include <cstdlib>

namespace rooftune::testing {

inline bool at_night() { return std::getenv("ROOFTUNE_TEST_NIGHT") != nullptr; }

}  // namespace rooftune::testing
