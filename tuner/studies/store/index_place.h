// Where the index is. SQLite needs locks that network file systems only claim to have: several
// nodes that read and replace one database there have destroyed it in every journal mode.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "core/modules.h"

namespace rooftune::store {

/// "NFS", "Lustre", ... for statfs()'s f_type; nullopt for what is on this computer.
std::optional<std::string> network_file_system(unsigned long type);

struct IndexPlace {
  std::filesystem::path file;
  std::string network;  ///< the file system because of which it is not in the results; or empty
};
/// results/index.sqlite; of results on a network file system a file of this user on this computer,
/// $XDG_STATE_HOME/rooftune (~/.local/state/rooftune) and a name for the folder of the results.
IndexPlace index_place(const std::filesystem::path& results);
/// The same where the file system is known.
IndexPlace index_place(const std::filesystem::path& results,
                       const std::optional<std::string>& network);

}  // namespace rooftune::store
