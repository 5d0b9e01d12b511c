// The namespace of this module is inline, as those of core/modules.h.
#pragma once
#include "core/modules.h"

namespace rooftune {
inline namespace instrumentation {}
}  // namespace rooftune
