// A configuration's words to the compiler: macros and flags, closed to injections by a data file.
#pragma once
#include <string>
#include <vector>

#include "space/search_space.h"

namespace rooftune::build {

struct Macro {
  std::string name, text;
};
using Macros = std::vector<Macro>;

/// KNOB_... for every compile knob in the space: numbers as numbers, truths as 1 and 0, texts as
/// enumerators KNOB_<NAME>_<VALUE>. A knob missing in the configuration has its default. Throws
/// Error when two macros would have one name.
Macros knob_macros(const SearchSpace& space, const Configuration& configuration);
/// Each as "-DNAME=TEXT".
Texts definitions(const Macros& macros);
/// The macros for the defaults as a header, so that an editor or a plain compiler can read a
/// source.
std::string knob_header(const SearchSpace& space);

/// The chosen flags from all flag knobs, in the order of the space.
Texts knob_flags(const SearchSpace& space, const Configuration& configuration);

/// The compiler family that a knob chooses (build/host_compiler.h); empty without a choice.
std::string knob_compiler(const SearchSpace& space, const Configuration& configuration);

/// Splits a text into words as a shell does, without any substitution: '...', "..." and \ keep
/// their contents together. Throws Error at `where` for an open quote.
Texts shell_words(const std::string& text, const std::string& where = {});

}  // namespace rooftune::build
