// A Fortran subroutine in free form as a kernel: its dummies, the modules that it uses, and its
// pragmas with knobs.
#pragma once
#include "scaffold/sketch.h"

namespace rooftune::scaffold {

/// Fills in the sketch's arguments, sources and knobs from a subroutine in a file. Modules from
/// other files are looked for in its folder and the one above; the procedures that it reaches stay.
/// Throws Error at the file: there is no such subroutine, or it has dummies with an assumed shape
/// or a derived type.
void take_subroutine(Sketch& sketch, const SourceName& from);

}  // namespace rooftune::scaffold
