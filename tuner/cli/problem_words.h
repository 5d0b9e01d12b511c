// Words of a problem as typed, "n=1000,steps=4", read once: --problem for each input, --set for
// knobs.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "space/search_space.h"
#include "study/spec.h"

namespace rooftune::cli {

/// "name=value[,name=value...]", in several words or one; values stay text. Throws Error with the
/// name of `option` for a word without '='.
Facts assignments(const std::vector<std::string>& words, const std::string& option,
                  const std::string& example);
/// "NAME=TEXT" of `option`. Throws Error without '='.
void add_variable(const std::string& text, const std::string& option, const std::string& example,
                  std::map<std::string, std::string>& variables);
/// The parameters of one input; the kernel gives their types.
Facts problem_words(const std::vector<std::string>& options);
/// The input of each --problem. Throws Error for a parameter set in one of several inputs and open
/// in another: a default there would be arbitrary.
std::vector<InputSpec> problem_inputs(const std::vector<std::string>& options);
/// The configuration with the knobs of one --set changed, allowed or not. Throws Error for an
/// unknown knob or value.
Configuration changed(Configuration configuration, const SearchSpace& space,
                      const std::string& words);

}  // namespace rooftune::cli
