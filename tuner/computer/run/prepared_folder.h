// The folder of a program's build as every run of it finds it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>

#include "core/modules.h"

namespace rooftune::run {

class PreparedFolder {
 public:
  PreparedFolder() = default;
  /// `folder` as it is now: a copy of `source` (copy_tree) in which something was built.
  PreparedFolder(std::filesystem::path folder, std::filesystem::path source);
  const std::filesystem::path& path() const { return folder_; }  ///< empty: there is none
  /// Before a run: removes what earlier ones have added, a checkpoint to go on from perhaps, and
  /// copies from the source again what they have changed or removed. Of what the build itself made
  /// there is no copy: it stays as they left it. Links are as they were. Throws
  /// std::filesystem::filesystem_error, and Error for a file of the source that a run has changed
  /// through a link to it.
  void put_back() const;

 private:
  struct Stamp {
    std::uintmax_t size = 0;
    std::filesystem::file_time_type time = {};
    bool operator==(const Stamp&) const = default;
  };
  struct Link {
    std::filesystem::path target;
    Stamp file;  ///< of a file of the source; else none
  };
  void put_back(const std::filesystem::path& name, const Link& link) const;
  /// Of anything but a file: no size and no time.
  static Stamp stamp(const std::filesystem::path& file);

  std::filesystem::path folder_, source_;
  std::map<std::filesystem::path, Stamp> entries_;  ///< by the name below the folder
  std::map<std::filesystem::path, Link> links_;     ///< the same, of links
};

}  // namespace rooftune::run
