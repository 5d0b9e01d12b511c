// The knobs that a source names, held against the search space: a misspelt one stops the build, one
// that no source reads is told by `tune check`.
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

/// Each word once, from `source` and the headers that included_files() finds for it. Comments and
/// literals do not count. All branches of #if do, so the answer is one for all configurations.
std::vector<NamedKnob> named_knobs(const std::filesystem::path& source,
                                   const std::filesystem::path& directory);

/// "file:line: error: ..." for each name that is no macro of the space; what may have been meant
/// stands beside it.
std::vector<std::string> unknown_knobs(const std::vector<NamedKnob>& named,
                                       const SearchSpace& space);

/// Compile knobs that no source names, and argument knobs that no argument of the kernel does.
std::vector<std::string> unread_knobs(const std::vector<NamedKnob>& named, const Kernel& kernel,
                                      const SearchSpace& space);

}  // namespace rooftune::build
