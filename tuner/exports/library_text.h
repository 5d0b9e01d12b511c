// Texts of a library that follow from the kernel's arguments.
#pragma once
#include <map>
#include <string>

#include "exports/kernel_library.h"

namespace rooftune::inline exports {

/// Texts by the words that stand for them: "@NAME@".
using Fillings = std::map<std::string, std::string>;
/// A template of kernels/include/rooftune/library.
std::string filled(const std::string& name, const Fillings& fillings);

/// "tuned_spmv": of library, header and functions.
std::string library_name(const Kernel& kernel);
/// "TUNED_SPMV_VARIANT": names a variant at run time.
std::string variant_variable(const Kernel& kernel);
/// Whether the application gives it: knobs alone decide the others.
bool is_given(const LibrarySource& source, std::size_t argument);
/// What the application has to promise for some variant, in the order of their bits.
std::vector<Condition> promises(const LibrarySource& source);
/// "TUNED_SPMV_PROMISE_SYMMETRIC": the same in every export of a kernel, whatever its bit is.
std::string promise_name(const LibrarySource& source, std::size_t promise);
/// "const double*", "int64_t".
std::string declared_type(const Argument& argument);

std::string header_text(const LibrarySource& source);
std::string dispatch_text(const LibrarySource& source);
std::string variants_header_text(const LibrarySource& source);
std::string variant_text(const LibrarySource& source, const LibraryVariant& variant);
std::string self_test_text(const LibrarySource& source);
std::string build_text(const LibrarySource& source);  ///< CMakeLists.txt
std::string readme_text(const LibrarySource& source);
std::string provenance_text(const LibrarySource& source);

}  // namespace rooftune::inline exports
