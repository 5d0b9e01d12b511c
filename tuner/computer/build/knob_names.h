// Names of knobs in a source, compared with the search space: a misspelt one stops the build; `tune
// check` reports knobs read by no source.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "kernel/kernel.h"
#include "space/search_space.h"

namespace rooftune::build {

/// A word KNOB_... in a source, and where it stands first.
struct NamedKnob {
  std::string macro;
  std::filesystem::path file;
  int line = 0;
  bool is_part = false;  ///< ## makes a longer name of it
};

/// Each word once, from `source` and its included_files(). Comments and literals do not count. All
/// branches of #if do: the answer is one for all configurations.
std::vector<NamedKnob> named_knobs(const std::filesystem::path& source,
                                   const std::filesystem::path& directory);

/// "file:line: error: ..." for each name without a macro in the space, with a similar macro.
std::vector<std::string> unknown_knobs(const std::vector<NamedKnob>& named,
                                       const SearchSpace& space);

/// Compile knobs named by no source, and argument knobs named by no argument of the kernel.
std::vector<std::string> unread_knobs(const std::vector<NamedKnob>& named, const Kernel& kernel,
                                      const SearchSpace& space);

}  // namespace rooftune::build
