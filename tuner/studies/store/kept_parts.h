// The large parts of a setup that are the same every night: its machine, space and published path,
// once by their hash in results/records/parts.
#pragma once
#include <filesystem>
#include <vector>

#include "core/json.h"

namespace rooftune::store {

/// The schema of a setup without its parts, unreadable to a Rooftune that does not know them.
inline constexpr const char* parted_schema = "rooftune-record-3";

/// Takes the parts out of a setup, {"kept": <hash>} in their place; whether there were any.
/// `records`: results/records. Throws Error (io).
bool keep_parts(const std::filesystem::path& records, Json& setup);
/// Puts them back. Throws Error where one is gone or damaged.
void bring_parts(const std::filesystem::path& records, Json& setup);
/// Files of parts that neither records, set-aside ones too, nor digests nor baselines name, and
/// that are a day old: a study may be about to name a younger one. None where a file of them cannot
/// be read.
std::vector<std::filesystem::path> unnamed_parts(const std::filesystem::path& results);
/// Copies the parts of other results that are not here. Throws Error (io).
void merge_parts(const std::filesystem::path& results, const std::filesystem::path& source);

}  // namespace rooftune::store
