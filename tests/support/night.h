// Whether tests run at night (scripts/nightly), with all variants and as a release compiles them.
// By day, where somebody waits, they take a few.
#pragma once
#include <cstdlib>

namespace rooftune::testing {

inline bool at_night() { return std::getenv("ROOFTUNE_TEST_NIGHT") != nullptr; }

/// The test's program has AddressSanitizer, and so can have what it compiles and loads.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace rooftune::testing
