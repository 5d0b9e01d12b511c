// What a library says in the languages of applications: the types of its arguments, and modules
// of Fortran and Python.
#pragma once
#include <string>

#include "exports/kernel_library.h"

namespace rooftune::exports {

/// An integer for the amount of data: not the number of steps, without influence on the choice of a
/// variant.
bool is_size(const LibrarySource& source, const Argument& argument);
/// A call of run takes the argument that was prepared: a layout may keep it, or it changes roles.
bool is_held(const LibrarySource& source, const Argument& argument);

/// Words of the header about the arguments that run takes.
std::string takes_text(const LibrarySource& source);
/// "const double*", "int64_t".
std::string declared_type(const Argument& argument);

/// A complex scalar has no form for C and C++ alike.
bool passed_by_address(const Argument& argument);
/// A type of rooftune/elements.h, as a library has it.
std::string library_type(ElementType type);
/// As the kernel's own function takes it, from `given`.
std::string passed(const Argument& argument, const std::string& given);
/// Whether sources may declare some argument in several ways.
bool has_own_types(const LibrarySource& source);
std::string variants_header_text(const LibrarySource& source);
/// A module of Fortran with an interface of each function.
std::string fortran_text(const LibrarySource& source);
/// A module of Python, for buffers as those of NumPy.
std::string python_text(const LibrarySource& source);

}  // namespace rooftune::exports
