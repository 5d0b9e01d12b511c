// Ways to carry the best configuration of a study into an application, a file for each: the caller
// writes the text, atomically.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/list.h"
#include "study/result.h"

namespace rooftune::report {

// Each has the `flags` of the compiler, those of knobs too (empty: not known), and throws Error
// where the study has no validated configuration.

/// C and C++ header: #define ROOFTUNE_<KERNEL>_<KNOB>, of texts <KNOB>_<VALUE> and <KNOB>_TEXT.
std::string header_export(const StudyResult& result, const Texts& flags);
/// "rooftune-export-1": configuration, defaults and provenance, read by
/// the run-time library (docs/applications.md).
std::string json_export(const StudyResult& result, const Texts& flags);
/// "rooftune-best-known-1" with this one entry. Throws Error also for a study of several inputs.
std::string best_known_export(const StudyResult& result, const Texts& flags);
/// `text` with the file's present entries. Throws Error for a file of another kernel or back end.
std::string joined_best_known(const fs::path& before, const std::string& text);

/// Width of the machine's vectors of AVX2 and AVX-512; 0: none, or not of x86.
int x86_simd_bits(const Machine& machine);
/// The compiler's flag for a CPU with such vectors of x86; nullptr: its default.
const char* isa_flag(int simd_bits);

}  // namespace rooftune::report
