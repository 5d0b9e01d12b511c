// Compiler flags and environment variables allowed in a data file.
// Every reader of a file checks all its flags and variables, unless the user trusts the file.
#pragma once
#include <string>

#include "core/modules.h"

namespace rooftune::space {

/// Options of NVRTC for the arithmetic or the registers, -O levels, -f and -m options that neither
/// run programs nor read or write files. Never -D, -I, -W, @.
bool allowed_flag(const std::string& flag);
/// OMP_*, GOMP_*, KMP_*, MALLOC_*.
bool allowed_variable(const std::string& variable);
/// Hints of both for the author of a refused entry.
extern const char* const allowed_flags_hint;
extern const char* const allowed_variables_hint;

}  // namespace rooftune::space
