// Calls that take no arguments and return nothing: what a sampler times, or the step between two
// samples.
#pragma once
#include <functional>

#include "core/modules.h"

namespace rooftune::core {

using Callback = std::function<void()>;
/// The same with a text: it tells a line, or reads what was typed.
using TextCallback = std::function<void(const std::string&)>;
/// Asked often: has the user interrupted?
using Question = std::function<bool()>;

}  // namespace rooftune::core
