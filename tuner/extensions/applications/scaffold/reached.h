// What a function reaches in its file.
#pragma once
#include <vector>

#include "scaffold/function.h"

namespace rooftune::scaffold {

/// Takes out all other declarations. Arrays of the file that the body names become pointers and
/// parameters; void functions from other files get empty bodies. Directives of OpenMP outside
/// functions go, but for threadprivate ones whose variables stay.
void keep_reached(const Syntax& source, const Declarations& all, const Declaration& root,
                  FunctionSource& function);

}  // namespace rooftune::scaffold
