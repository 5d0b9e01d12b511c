// "n=1000,steps=4" as people type it, read once: --problem for each input, --set for knobs.
#pragma once
#include <string>
#include <vector>

#include "space/search_space.h"
#include "study/spec.h"

namespace rooftune::cli {

/// "name=value[,name=value...]", in several words or one; values stay text. Throws Error that names
/// `option` for a word without '='.
Facts assignments(const std::vector<std::string>& words, const std::string& option,
                  const std::string& example);
/// The parameters of one input; the kernel tells their types.
Facts problem_words(const std::vector<std::string>& options);
/// The input of each --problem. Throws Error when one of several leaves a parameter open that
/// another sets, because that would be a default that nobody chose.
std::vector<InputSpec> problem_inputs(const std::vector<std::string>& options);
/// The configuration with the knobs of one --set changed, allowed or not. Throws Error for what is
/// no knob, or no value of it.
Configuration changed(Configuration configuration, const SearchSpace& space,
                      const std::string& words);

}  // namespace rooftune::cli
