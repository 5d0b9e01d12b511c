// The places of Rooftune's own files: kernels, search spaces, machines, headers for variants,
// caches.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::os {

/// Root with kernels/ search_spaces/ machines/: $ROOFTUNE_HOME, else <prefix>/share/rooftune beside
/// the executable, else the source tree it was built from. Throws Error when none exists.
std::filesystem::path home();
/// Directory with <rooftune/...> headers for variants and problems.
std::filesystem::path variant_include_directory();
/// Texts by their placeholders: "@NAME@".
using Fillings = std::map<std::string, std::string>;
/// The template rooftune/`name`.in of that directory. A line that begins with "@NAME?" stands only
/// where NAME is filled with something, one with "@!NAME?" where it is not.
std::string filled_template(const std::string& name, const Fillings& fillings);
/// $ROOFTUNE_MACHINES, home()/machines, user's $XDG_DATA_HOME/rooftune/machines: first match wins.
std::vector<std::filesystem::path> machine_directories();
/// First writable one of machine_directories() (created if need be). Throws Error.
std::filesystem::path writable_machine_directory();
/// The best known results of kernels on any machine: $ROOFTUNE_BEST_KNOWN (an empty folder: none is
/// known), else home()/search_spaces/best_known.
std::filesystem::path best_known_directory();
/// $ROOFTUNE_CACHE, else $XDG_CACHE_HOME/rooftune, else ~/.cache/rooftune; without HOME the user's
/// home directory comes from the password database. Throws Error where there is none.
std::filesystem::path cache_directory();
/// This executable.
std::filesystem::path self();
/// $ROOFTUNE_WORKER, else this executable: the program started for work in a process of its own
/// (`worker`, `gpu-compile`).
std::filesystem::path worker_program();

}  // namespace rooftune::os
