// The places of Rooftune's own files: kernels, search spaces, machines, headers for variants,
// caches. And folders closed to files of others: code from there runs with the rights of the user.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/list.h"
#include "core/modules.h"

namespace rooftune::os {

/// The text of a variable; empty where it is not set.
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
/// Adds the row of a list of JSON: COMMA is a comma in all rows but the last.
void add_json_row(std::vector<Fillings>& rows, Fillings row);
/// The template rooftune/`name`.in of that directory. A line that begins with "@NAME?" stands only
/// where NAME is filled with something, one with "@!NAME?" where it is not. Lines that begin with
/// "@LIST*" stand together for each row of a list, whose fillings come before those around it.
std::string filled_template(const std::string& name, const Fillings& fillings);
/// $ROOFTUNE_MACHINES, home()/machines, user's $XDG_DATA_HOME/rooftune/machines: first match wins.
Paths machine_directories();
/// First writable one of machine_directories() (created if need be). Throws Error.
fs::path writable_machine_directory();
/// The best known results of kernels on any machine: $ROOFTUNE_BEST_KNOWN (an empty folder: none is
/// known), else home()/search_spaces/best_known.
fs::path best_known_directory();
/// $ROOFTUNE_CACHE, else $XDG_CACHE_HOME/rooftune, else ~/.cache/rooftune; without HOME the user's
/// home directory comes from the password database. Throws Error where there is none.
fs::path cache_directory();
/// This executable.
fs::path self();
/// $ROOFTUNE_WORKER, else this executable: the program started for work in a process of its own
/// (`worker`, `gpu-compile`).
fs::path worker_program();

/// Makes the folder, and its parents, for this user alone; then require_private(). Throws Error
/// with `variable` (ROOFTUNE_CACHE), the variable for another choice; ExitCode::io where nothing
/// can be made.
void make_private(const fs::path& folder, const std::string& variable);
/// Why others may change a file or the names in a folder, or put another one in its place:
/// "belongs to another user (number 7)", "others may write to it", "/x above it belongs ...". A
/// link is looked at where it lies and where it leads, and every one on the way. Empty for what
/// only this user and root may change, and for what is not there. Not thread-safe (getgrgid).
std::string others_may_change(const fs::path& place);
/// Throws Error where another user could put a file into the folder or another folder in its place:
/// it or a link on the way belongs to a user other than this one or root, or others may write to
/// it, or all may write to one above it without the sticky bit of /tmp. A folder of this user and
/// his own group, without the set-group-ID bit, loses the right of others to write instead. No
/// fault where there is none.
void require_private(const fs::path& folder, const std::string& variable);
/// Throws Error (ExitCode::io) where the system loads no code from this folder.
void require_executable(const fs::path& folder, const std::string& variable);

}  // namespace rooftune::os
