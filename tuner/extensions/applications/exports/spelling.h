// Words in generated code: literals, remarks, and how a library's functions and the kernel's take
// their arguments, by the type table.
#pragma once
#include <string>

#include "core/json.h"
#include "kernel/kernel.h"

namespace rooftune::exports {

/// A scalar argument as a C++ literal.
std::string scalar_text(const Json& scalar);
/// One line in plain words, fit for a comment and a string literal alike.
std::string remark(const std::string& text);
/// A string literal, for C++ and JSON alike.
std::string literal(const std::string& text);

/// "const double*", "int64_t".
std::string declared_type(const Argument& argument);
/// "const double* x".
std::string declaration(const Argument& argument);
/// Whether a scalar goes by address: no complex type is common to C and C++.
bool passed_by_address(const Argument& argument);
/// A type from rooftune/elements.h, as a library names it.
std::string library_type(ElementType type);
/// `given` in the form that the kernel's own function takes.
std::string passed(const Argument& argument, const std::string& given);

}  // namespace rooftune::exports
