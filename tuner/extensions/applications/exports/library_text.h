// Texts of a library generated from the kernel's arguments.
#pragma once
#include <functional>
#include <string>

#include "exports/kernel_library.h"
#include "os/paths.h"

namespace rooftune::exports {

/// A template of kernels/include/rooftune/library; NAME, TITLE and the like are the library's.
std::string filled(const LibrarySource& source, const std::string& name, Fillings fillings);

/// The kernel's sources are under a LICENSE of their own, or somebody else's, and so is what is
/// made of them.
bool has_own_licence(const LibrarySource& source);

/// "tuned_spmv", "tuned_spmv_cuda": of library, header and functions.
std::string library_name(const LibrarySource& source);
/// "TUNED_SPMV_VARIANT": names a variant at run time.
std::string variant_variable(const LibrarySource& source);
/// Whether the application gives it: knobs alone decide the others.
bool is_given(const LibrarySource& source, std::size_t argument);
/// An integer for the amount of data: not the number of steps, without influence on the choice of a
/// variant.
bool is_size(const LibrarySource& source, std::size_t position);
/// Its functions of a problem besides, as the header, dispatch, Fortran and Python have them.
std::string function_declarations(const LibrarySource& source);
std::string function_definitions(const LibrarySource& source);
std::string function_interfaces(const LibrarySource& source);
std::string function_rows(const LibrarySource& source);
/// "&kernel::spmv_update" and so on, for a variant.
std::string function_addresses(const LibrarySource& source);
/// A call of run takes the argument that was prepared: a layout may keep it, or it changes roles.
bool is_held(const LibrarySource& source, std::size_t position);

/// Of the header: which arguments run takes.
std::string takes_text(const LibrarySource& source);
/// Assurances of the application for some variant, in the order of their bits.
std::vector<Condition> promises(const LibrarySource& source);
/// "TUNED_SPMV_PROMISE_SYMMETRIC": the same in every export of a kernel, for any bit.
std::string promise_name(const LibrarySource& source, std::size_t promise);
/// A formula over facts that arguments pass on, in C++ over these arguments; empty: it needs more.
std::string in_cpp(const Expression& formula, const Kernel& kernel);

/// A set of instructions that a variant is compiled for.
struct Level {
  const char* name;  ///< of its namespace and, of x86-64, in -march
  int bits;          ///< of vectors; 0: any CPU
};
/// That of the machine where it was timed and those below it; of the untuned form all.
std::vector<Level> levels_of(const LibraryVariant& variant);

/// "TUNED_SPMV": for macros.
std::string upper(std::string text);
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

/// Of each argument given by the application.
std::string of_given(const LibrarySource& source,
                     const std::function<std::string(const Argument&)>& text,
                     const std::string& between = ", ");
/// A scalar argument as a literal of C++.
std::string scalar_text(const Json& scalar);
/// Inside a comment and a string literal alike: one line of plain words.
std::string remark(const std::string& text);
/// A string literal of C++ and of JSON alike.
std::string literal(const std::string& text);
std::string joined(const std::vector<std::string>& parts, const std::string& between = ", ");

std::string header_text(const LibrarySource& source);
std::string dispatch_text(const LibrarySource& source);
std::string variants_header_text(const LibrarySource& source);
std::string variant_text(const LibrarySource& source, const LibraryVariant& variant);
/// The kernels of a CUDA variant, for NVRTC.
std::string cuda_kernels_text(const LibrarySource& source, const LibraryVariant& variant);
/// Texts of the launching half of a CUDA variant only.
Fillings cuda_fillings(const LibrarySource& source, const LibraryVariant& variant);
std::string self_test_text(const LibrarySource& source);
/// A module of Fortran with an interface of each function.
std::string fortran_text(const LibrarySource& source);
/// A module of Python, for buffers as those of NumPy.
std::string python_text(const LibrarySource& source);
std::string build_text(const LibrarySource& source);  ///< CMakeLists.txt
std::string readme_text(const LibrarySource& source);
std::string licence_text(const LibrarySource& source);
std::string provenance_text(const LibrarySource& source);

}  // namespace rooftune::exports
