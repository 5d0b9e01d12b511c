// What a data file may turn into a compiler flag or an environment variable.
// Whoever reads a file checks every flag and variable that it names, unless the user trusts the
// file.
#pragma once
#include <string>

#include "core/modules.h"

namespace rooftune::space {

/// Options of NVRTC that change the arithmetic or the registers, -O levels, -f and -m options that
/// neither run programs nor read or write files. Never -D, -I, -W, @.
bool allowed_flag(const std::string& flag);
/// OMP_*, GOMP_*, KMP_*, MALLOC_*.
bool allowed_variable(const std::string& variable);
/// What the two say to a person whose entry was refused.
extern const char* const allowed_flags_hint;
extern const char* const allowed_variables_hint;

}  // namespace rooftune::space
