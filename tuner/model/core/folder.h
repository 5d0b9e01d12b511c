// What lies in a folder.
#pragma once
#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/file.h"
#include "core/list.h"
#include "core/modules.h"

namespace rooftune::core {

/// In order, as far as it can be read; nothing where there is no folder. A recursive iterator adds
/// what lies in the folders below.
template <class Iterator = fs::directory_iterator>
Paths entries_of(const fs::path& folder) {
  Paths all;
  std::error_code fault;
  constexpr auto readable = fs::directory_options::skip_permission_denied;
  for (Iterator it(folder, readable, fault), end; !fault && it != end; it.increment(fault))
    all.push_back(it->path());
  sort(all);
  return all;
}

/// The files, in order; with `extension` (including its dot) only those that end so.
inline Paths files_in(const fs::path& folder, std::string_view extension = {}) {
  Paths files = entries_of(folder);
  std::erase_if(files, [extension](const fs::path& file) {
    // A pipe would never end.
    return !is_file(file) || !(extension.empty() || file.extension() == extension);
  });
  return files;
}

}  // namespace rooftune::core
