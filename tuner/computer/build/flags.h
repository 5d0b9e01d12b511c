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

/// KNOB_... of every compile knob of the space: numbers as numbers, truths as 1 and 0, texts as
/// enumerators KNOB_<NAME>_<VALUE>. A knob missing in the configuration has its default. Throws
/// Error when two macros would have one name.
Macros knob_macros(const SearchSpace& space, const Configuration& configuration);
/// "-DNAME=TEXT" of each.
Texts definitions(const Macros& macros);
/// The macros of the defaults as a header, to make a source readable for an editor or a plain
/// compiler.
std::string knob_header(const SearchSpace& space);

/// Flags of the chosen values of all flag knobs, in the order of the space.
Texts knob_flags(const SearchSpace& space, const Configuration& configuration);

/// The family of compilers chosen by a knob (build/host_compiler.h); empty without a choice.
std::string knob_compiler(const SearchSpace& space, const Configuration& configuration);

/// The words of a text as a shell splits it, without any substitution: '...', "..." and \ keep
/// their contents together. Throws Error at `where` for an open quote.
Texts shell_words(const std::string& text, const std::string& where = {});

}  // namespace rooftune::build
