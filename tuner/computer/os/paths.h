// Where Rooftune's own files lie: kernels, search spaces, machines, headers for variants, caches.
// And folders closed to others' files, for code from there runs with the user's rights.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/list.h"
#include "core/modules.h"

namespace rooftune::os {

/// A variable's text; empty where it is not set.
std::string environment_text(const char* variable);
/// Root with kernels/ search_spaces/ machines/: $ROOFTUNE_HOME, else <prefix>/share/rooftune beside
/// the executable, else the source tree it was built from. Throws Error when none exists.
fs::path home();
/// Directory with <rooftune/...> headers for variants and problems.
fs::path variant_include_directory();
/// Texts by their placeholders, "@NAME@", and lists of such rows.
struct Fillings : NamedTexts {
  using NamedTexts::NamedTexts;
  ByName<std::vector<Fillings>> lists = {};
};
/// Adds a row to a JSON list: COMMA is a comma in all rows but the last.
void add_json_row(std::vector<Fillings>& rows, Fillings row);
/// The template rooftune/`name`.in from variant_include_directory(), filled. A line that begins
/// with "@NAME?" stands only where NAME is filled with something, one with "@!NAME?" where it is
/// not. Lines that begin with "@LIST*" stand together for each row of a list, whose fillings come
/// before those around it.
std::string filled_template(const std::string& name, const Fillings& fillings);
/// $ROOFTUNE_MACHINES, home()/machines, the user's $XDG_DATA_HOME/rooftune/machines: first match
/// wins.
Paths machine_directories();
/// The first of machine_directories() that can be written (created if need be). Throws Error.
fs::path writable_machine_directory();
/// The best known results for kernels on any machine: $ROOFTUNE_BEST_KNOWN (an empty folder: none
/// is known), else home()/search_spaces/best_known.
fs::path best_known_directory();
/// $ROOFTUNE_CACHE, else $XDG_CACHE_HOME/rooftune, else ~/.cache/rooftune; without HOME the user's
/// home directory comes from the password database. Throws Error where there is none.
fs::path cache_directory();
/// This executable.
fs::path self();
/// $ROOFTUNE_WORKER, else this executable: the program to start for work in its own process
/// (`worker`, `gpu-compile`).
fs::path worker_program();

/// Makes the folder, and its parents, for this user alone; then require_private(). Throws Error
/// that names `variable` (ROOFTUNE_CACHE) for choosing another folder; ExitCode::io where nothing
/// can be made.
void make_private(const fs::path& folder, const std::string& variable);
/// Why others may change a file or the names in a folder, or put another in its place: "belongs to
/// another user (number 7)", "others may write to it", "/x above it belongs ...". Every link on the
/// way is looked at where it lies and where it leads. Empty for what only this user and root may
/// change, and for what is not there. Not thread-safe (getgrgid).
std::string others_may_change(const fs::path& place);
/// Throws Error where another user could put a file into the folder or another folder in its place:
/// it or a link on the way belongs to a user other than this one or root, or others may write to
/// it, or all may write to one above it without the sticky bit of /tmp. If the folder belongs to
/// this user and his own group, without the set-group-ID bit, it loses others' right to write
/// instead. No fault where there is no folder.
void require_private(const fs::path& folder, const std::string& variable);
/// Throws Error (ExitCode::io) where the system loads no code from this folder.
void require_executable(const fs::path& folder, const std::string& variable);

}  // namespace rooftune::os
