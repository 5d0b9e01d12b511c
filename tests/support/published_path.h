// The published path in a kernel's folder.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "core/json.h"
#include "kernel/published.h"

namespace rooftune::testing {

/// nullopt when the kernel has no file for this back end.
inline std::optional<PublishedPath> published_path(const Kernel& kernel,
                                                   const std::string& backend) {
  const auto file = published_path_file(kernel.folder, backend);
  if (!std::filesystem::exists(file)) return std::nullopt;
  return published_path_from_json(read_json(file), file.string(), kernel.name, backend);
}

}  // namespace rooftune::testing
