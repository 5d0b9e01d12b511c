// Words of generated code: literals, remarks, and the arguments of a library's functions and of the
// kernel's, by the table of types.
#pragma once
#include <string>

#include "core/json.h"
#include "kernel/kernel.h"

namespace rooftune::exports {

/// A scalar argument as a literal of C++.
std::string scalar_text(const Json& scalar);
/// Inside a comment and a string literal alike: one line of plain words.
std::string remark(const std::string& text);
/// A string literal of C++ and of JSON alike.
std::string literal(const std::string& text);

/// "const double*", "int64_t".
std::string declared_type(const Argument& argument);
/// "const double* x".
std::string declaration(const Argument& argument);
/// A complex scalar has no form for C and C++ alike.
bool passed_by_address(const Argument& argument);
/// A type of rooftune/elements.h, as a library has it.
std::string library_type(ElementType type);
/// As the kernel's own function takes it, from `given`.
std::string passed(const Argument& argument, const std::string& given);

}  // namespace rooftune::exports
