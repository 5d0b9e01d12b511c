#include "store/index_place.h"

#include <sys/vfs.h>

#include <cstdlib>
#include <map>

#include "core/error.h"
#include "core/file.h"
#include "core/hash.h"

namespace rooftune::store {
namespace {

std::filesystem::path state_directory() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state && *state)
    return std::filesystem::path(state) / "rooftune";
  if (const char* home = std::getenv("HOME"); home && *home)
    return std::filesystem::path(home) / ".local" / "state" / "rooftune";
  throw Error("there is no place on this computer for an index of results that lie on the network",
              "XDG_STATE_HOME", "set it, or HOME, to a folder on a local disk", ExitCode::io);
}

}  // namespace

std::optional<std::string> network_file_system(unsigned long type) {
  // linux/magic.h and the file systems' own headers.
  static const std::map<unsigned long, const char*> known{
      {0x6969, "NFS"},      {0x0BD00BD0, "Lustre"}, {0x47504653, "GPFS"}, {0x19830326, "BeeGFS"},
      {0xFF534D42, "CIFS"}, {0xFE534D42, "SMB"},    {0x65735546, "FUSE"}, {0x00C36400, "Ceph"}};
  const auto found = known.find(type & 0xFFFFFFFFUL);
  return found == known.end() ? std::nullopt : std::optional<std::string>(found->second);
}

IndexPlace index_place(const std::filesystem::path& results,
                       const std::optional<std::string>& network) {
  if (!network) return {results / "index.sqlite", {}};
  const std::filesystem::path folder = std::filesystem::absolute(results).lexically_normal();
  return {state_directory() / ("index-" + hash_hex(folder.string()).substr(0, 16) + ".sqlite"),
          *network};
}

IndexPlace index_place(const std::filesystem::path& results) {
  struct statfs system {};
  if (statfs(results.c_str(), &system) != 0) return index_place(results, std::nullopt);
  return index_place(results, network_file_system(static_cast<unsigned long>(system.f_type)));
}

}  // namespace rooftune::store
