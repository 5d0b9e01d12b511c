// Ways to carry a study's best configuration into an application, a file for each: the caller
// writes the text, atomically.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/list.h"
#include "study/result.h"

namespace rooftune::report {

// Each states the compiler's `flags`, including those from knobs (empty: not known), and throws
// Error where the study has no validated configuration.

/// C and C++ header: #define ROOFTUNE_<KERNEL>_<KNOB>, for texts <KNOB>_<VALUE> and <KNOB>_TEXT.
std::string header_export(const StudyResult& result, const Texts& flags);
/// "rooftune-export-1": configuration, defaults and provenance, read by
/// the run-time library (docs/applications.md).
std::string json_export(const StudyResult& result, const Texts& flags);
/// "rooftune-best-known-1" with this one entry. Throws Error also for a study with several inputs.
std::string best_known_export(const StudyResult& result, const Texts& flags);
/// `text` with the file's present entries. Throws Error for a file from another kernel or back end.
std::string joined_best_known(const fs::path& before, const std::string& text);

/// The machine's vector width with AVX2 or AVX-512 [bit]; 0: neither, or not x86.
int x86_simd_bits(const Machine& machine);
/// The compiler's flag for an x86 CPU with such vectors; nullptr: its default.
const char* isa_flag(int simd_bits);

}  // namespace rooftune::report
