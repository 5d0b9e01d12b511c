// --problem as people type it, read once: "n=1000,steps=4" for each input.
#pragma once
#include <string>
#include <vector>

#include "study/spec.h"

namespace rooftune::inline cli {

/// The parameters of one input, in several words or one; values stay text until the kernel tells
/// their types. Throws Error for a word without '='.
Facts problem_words(const std::vector<std::string>& options);
/// The input of each --problem. Throws Error when one of several leaves a parameter open that
/// another sets, because that would be a default that nobody chose.
std::vector<InputSpec> problem_inputs(const std::vector<std::string>& options);

}  // namespace rooftune::inline cli
