// Exports where applications load them: what a shared object of an exported library says of itself,
// and the exchange of a file for a newer or the earlier one.
#pragma once
#include <filesystem>
#include <string>

#include "core/json.h"

namespace rooftune::report {

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
LibraryRecord library_record(const std::filesystem::path& object);

/// "libtuned_spmv.so", "libtuned_spmv.so.1.1".
bool is_shared_object(const std::filesystem::path& file);
/// What the JSON pointer leads to; null where that is absent.
Json part_of(const Json& document, const char* pointer);
/// Both export documents are for the same problem and settings, on any machine.
bool same_task(const Json& one, const Json& other);

/// The new text takes the place of a file (of a shared object behind its links) in one step.
/// Programs that run keep what they have loaded. Returns the copy of the old one, beside it:
/// "<file>.until-<time>", where it is a library without its "lib". Throws Error.
std::filesystem::path replace_export(const std::filesystem::path& file, const std::string& text);

struct RolledBack {
  std::filesystem::path file;       ///< behind links
  std::string until;                ///< time of its replacement
  std::filesystem::path withdrawn;  ///< copy of the one in use before; empty: there was none
};
/// The latest of those that replace_export() kept takes the file's place in one step, also where
/// the file is gone; the next call takes the one before. Throws Error where none is kept or it is
/// damaged.
RolledBack roll_back(const std::filesystem::path& file);

}  // namespace rooftune::report
