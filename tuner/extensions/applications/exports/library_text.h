// Texts of a library generated from the kernel's arguments.
#pragma once
#include <functional>
#include <string>

#include "core/list.h"
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
bool is_given(const LibrarySource& source, const Argument& argument);
/// Assurances of the application for some variant, in the order of their bits.
std::vector<Condition> promises(const LibrarySource& source);
/// "TUNED_SPMV_PROMISE_SYMMETRIC": the same in every export of a kernel, for any bit.
std::string promise_name(const LibrarySource& source, size_t promise);
/// A formula over facts that arguments pass on, in C++ over these arguments; empty: it needs more.
std::string in_cpp(const Expression& formula, const Kernel& kernel);

/// "TUNED_SPMV": for macros.
std::string upper(std::string text);

/// The texts of all arguments given by the application.
std::string of_given(const LibrarySource& source,
                     const std::function<std::string(const Argument&)>& text,
                     const std::string& between = ", ");
/// A scalar argument as a literal of C++.
std::string scalar_text(const Json& scalar);
/// Inside a comment and a string literal alike: one line of plain words.
std::string remark(const std::string& text);
/// A string literal of C++ and of JSON alike.
std::string literal(const std::string& text);

std::string header_text(const LibrarySource& source);
std::string dispatch_text(const LibrarySource& source);
std::string variant_text(const LibrarySource& source, const LibraryVariant& variant);

}  // namespace rooftune::exports
