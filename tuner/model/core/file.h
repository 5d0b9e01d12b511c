// Whole files: read them, and write them so a reader sees the old or the new one, never half.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "core/modules.h"

namespace rooftune::core {

/// Throws Error when missing, a directory, unreadable or over `limit` bytes.
std::string read_text(const std::filesystem::path& file, std::size_t limit = std::size_t{1} << 30);
/// For files that may go while they are read, as in /proc: empty when missing or unreadable. (A
/// std::istreambuf_iterator throws there.)
std::string text_if_readable(const std::filesystem::path& file);
/// One call writes a text whole; only a full disk or a signal makes it take a second. False with
/// errno.
bool write_all(int descriptor, std::string_view text);
/// Writes beside the file, fsyncs, renames. Throws Error; the old file stays on any fault, and a
/// new one has its mode. A link, a FIFO or a device by this name is replaced itself: others may
/// have put it there, where they share the folder.
void write_atomically(const std::filesystem::path& file, const std::string& text);
/// The same for a name typed by the user: links stay links, their target is replaced; anything but
/// a regular file (/dev/stdout, a FIFO) is written through.
void write_for_user(const std::filesystem::path& file, const std::string& text);
/// The name after all links; the target need not be there.
std::filesystem::path followed(std::filesystem::path file);
/// A name beside a file, unique among processes, for a file renamed to it when complete. Removes
/// leftovers of killed writers, from a day old.
std::filesystem::path part_beside(const std::filesystem::path& file);
/// No regular file, or standard output itself: old text stays and more is added.
bool is_written_through(const std::filesystem::path& file);
/// Throws Error with the cure where write_for_user() could not write, so work of an hour is not
/// lost for a wrong path. Writes nothing.
void require_writable_target(const std::filesystem::path& file);
/// Makes the folder and its parents. Throws Error (io) with `hint`.
void make_folders(const std::filesystem::path& folder, const std::string& hint = {});
/// ISO 8601 UTC to the second: "2026-11-21T09:30:00Z".
std::string utc_now();

}  // namespace rooftune::core
