// Ways to carry the best configuration of a study into an application, a file for each: the caller
// writes the text, atomically. And exports where applications load them: what a shared object of an
// exported library says of itself, and the exchange of a file for a newer or the earlier one.
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

inline constexpr const char* export_document = "rooftune-export-1";

/// In the data of a shared object that `tune export --format library` wrote the sources of.
struct LibraryRecord {
  /// What applications are compiled against: `arguments` and `prepares`, equal in all libraries
  /// that may take each other's place, and `promises[]` in the order of their bits.
  Json interface;
  Json studies;  ///< `export_document`s, one of each problem
};
std::string record_text(const LibraryRecord& record);
/// Read from the file's bytes, without running its code. Throws Error for a file without one.
LibraryRecord library_record(const fs::path& object);

/// "libtuned_spmv.so", "libtuned_spmv.so.1.1".
bool is_shared_object(const fs::path& file);
/// What the JSON pointer leads to; null where that is absent.
Json part_of(const Json& document, const char* pointer);
/// Both export documents are for the same problem and settings, on any machine.
bool same_task(const Json& one, const Json& other);

/// The new text takes the place of a file (of a shared object behind its links) in one step.
/// Programs that run keep what they have loaded. Returns the copy of the old one, beside it:
/// "<file>.until-<time>", where it is a library without its "lib". Throws Error.
fs::path replace_export(const fs::path& file, const std::string& text);

}  // namespace rooftune::report
