// Whole files: read them, and write them so that a reader sees the old or the new one, never half.
#pragma once
#include <filesystem>
#include <string>

namespace rooftune::inline core {

/// Throws Error when missing, a directory, unreadable or over `limit` bytes.
std::string read_text(const std::filesystem::path& file, std::size_t limit = std::size_t{1} << 30);
/// Writes beside the target, fsyncs, renames. Throws Error; the old file stays on any fault.
void write_atomically(const std::filesystem::path& file, const std::string& text);
/// ISO 8601 UTC to the second: "2026-11-21T09:30:00Z".
std::string utc_now();

}  // namespace rooftune::inline core
