// What is called without arguments and gives nothing back: the call that a sampler times, the step
// between two samples.
#pragma once
#include <functional>

#include "core/modules.h"

namespace rooftune::core {

using Callback = std::function<void()>;

}  // namespace rooftune::core
