// Independent pieces of work on several threads.
#pragma once
#include <cstddef>
#include <functional>

#include "core/modules.h"

namespace rooftune::os {

/// Calls `work(0)` to `work(count - 1)`, begun in this order, on at most `threads` threads, this
/// one included. After an exception nothing more begins; it is thrown when all have ended.
void in_parallel(size_t count, size_t threads, const std::function<void(size_t)>& work);

}  // namespace rooftune::os
