// Whole files that may be compressed with gzip.
// The caller owes a path; what a file expands to is bounded, whatever its header claims.
#pragma once
#include <filesystem>
#include <string>

namespace rooftune {

/// The text of a file, expanded when it begins as gzip files do (whatever its name). Throws Error:
/// unreadable, damaged or truncated, more than `limit` bytes, or expanding as only a bomb does.
std::string read_plain_or_gzip(const std::filesystem::path& file,
                               std::size_t limit = std::size_t{1} << 29);

}  // namespace rooftune
