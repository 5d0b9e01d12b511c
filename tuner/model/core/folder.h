// What lies in a folder.
#pragma once
#include <filesystem>
#include <system_error>
#include <vector>

#include "core/list.h"
#include "core/modules.h"

namespace rooftune::core {

/// As far as it can be read; nothing where there is no folder. A recursive iterator adds what lies
/// in those below it.
template <class Iterator = fs::directory_iterator>
Paths entries_of(const fs::path& folder) {
  Paths all;
  std::error_code fault;
  constexpr auto readable = fs::directory_options::skip_permission_denied;
  for (Iterator it(folder, readable, fault), end; !fault && it != end; it.increment(fault))
    all.push_back(it->path());
  return all;
}

}  // namespace rooftune::core
