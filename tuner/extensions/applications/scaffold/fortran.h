// A subroutine of Fortran in free form as a kernel: its dummies, the modules that it uses, and its
// pragmas with knobs.
#pragma once
#include "scaffold/sketch.h"

namespace rooftune::scaffold {

/// Arguments, sources and knobs of `sketch`, of a subroutine in a file. Modules of other files are
/// looked for in its folder and the one above; the procedures that it reaches stay.
/// Throws Error at the file: there is no such subroutine, or one with dummies of assumed shape or
/// derived type.
void take_subroutine(Sketch& sketch, const SourceName& from);

}  // namespace rooftune::scaffold
