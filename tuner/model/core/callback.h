// What is called without arguments and gives nothing back: the call that a sampler times, the step
// between two samples.
#pragma once
#include <functional>

#include "core/modules.h"

namespace rooftune::core {

using Callback = std::function<void()>;
/// The same of a text: to tell a line, to read what was typed.
using TextCallback = std::function<void(const std::string&)>;
/// Asked often, as whether the user has interrupted.
using Question = std::function<bool()>;

}  // namespace rooftune::core
