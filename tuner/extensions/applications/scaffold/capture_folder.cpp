#include "scaffold/capture_folder.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "kernel/manifest_reader.h"

namespace rooftune::scaffold {
namespace {

namespace fs = std::filesystem;
constexpr const char* capture_file = "capture.json";

}  // namespace

fs::path Capture::file(const std::string& array, bool result) const {
  return folder / (array + (result ? ".result.npy" : ".npy"));
}

Capture read_capture(const fs::path& folder) {
  std::vector<std::string> below;
  if (!fs::exists(folder / capture_file))
    for (const auto& entry : fs::directory_iterator(folder))
      if (fs::exists(entry.path() / capture_file)) below.push_back(entry.path().string());
  std::ranges::sort(below);
  if (below.size() > 1)
    throw Error("holds several captures", folder.string(),
                fmt::format("name one: {}", fmt::join(below, ", ")));
  const fs::path found = below.empty() ? folder : fs::path(below.front());
  if (!fs::exists(found / capture_file))
    throw Error("holds no capture", folder.string(),
                "ROOFTUNE_CAPTURE of rooftune/capture.h writes one where the application runs");
  const std::string where = (found / capture_file).string();
  auto capture = decoded<Capture>(read_json(found / capture_file), where);
  capture.folder = fs::absolute(found);
  Faults faults;
  if (!is_identifier(capture.function)) faults.add(where + ": /function", "is no name");
  for (std::size_t i = 0; i < capture.arguments.size(); ++i)
    // They become names of files, too.
    if (!is_identifier(capture.arguments[i].name))
      faults.add(fmt::format("{}: /arguments/{}/name", where, i), "is no name of a variable");
  faults.raise();
  return capture;
}

}  // namespace rooftune::scaffold
