// A few generated lines around a source: every artefact exports the same names.
#pragma once
#include <filesystem>
#include <string>

#include "kernel/kernel.h"

namespace rooftune::build {

/// rt_call, rt_prepare and rt_finish take one pointer per kernel argument: to the value of a
/// scalar, to the first element of an array.
using CallSymbol = void (*)(void* const*);
inline constexpr const char* call_symbol = "rt_call";
inline constexpr const char* prepare_symbol = "rt_prepare";
inline constexpr const char* finish_symbol = "rt_finish";
/// CUDA variants have it from rooftune/cuda_emulation.h: it takes the device they launch on.
inline constexpr const char* attach_symbol = "rt_attach";
inline constexpr const char* problem_symbol = "rt_problem";

/// The generated shim, in C++, or in C beside C and Fortran sources: it includes the source (or
/// declares its subroutines) and exports rt_call, rt_prepare, rt_finish, each of which begins with
/// the statement `first`. Throws Error for a subroutine that a Fortran source lacks.
std::string shim(const Kernel& kernel, const fs::path& source, const std::string& function,
                 bool prepare, bool finish, const char* first = "");
inline constexpr const char* start_kokkos = "  rooftune::start_kokkos();\n";

/// The shim for a problem.cpp; it exports rt_problem(rooftune::Problem&).
std::string problem_shim(const fs::path& source);

}  // namespace rooftune::build
