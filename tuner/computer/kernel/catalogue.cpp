// The folders of kernels and their search spaces.
#include "kernel/catalogue.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace rooftune::kernel {
namespace {

namespace fs = std::filesystem;

bool is_kernel(const fs::path& folder) {
  std::error_code fault;
  return fs::is_regular_file(folder / "kernel.json", fault);
}

bool is_path(const std::string& text) {
  return text.find('/') != std::string::npos || text == "." || text == "..";
}

std::string list_or_none(const std::vector<std::string>& words) {
  return words.empty() ? "none" : fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

std::vector<std::string> kernel_names(const fs::path& home) {
  std::vector<std::string> names;
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(home / "kernels", fault))
    if (is_kernel(entry.path())) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

Kernel find_kernel(const std::string& name_or_path, const fs::path& home) {
  if (is_path(name_or_path)) {
    fs::path folder = name_or_path;
    if (folder.filename() == "kernel.json") folder = folder.parent_path();
    return read_kernel(folder);
  }
  if (!name_or_path.empty() && is_kernel(home / "kernels" / name_or_path))
    return read_kernel(home / "kernels" / name_or_path);
  const auto names = kernel_names(home);
  const std::string near = nearest_word(name_or_path, names);
  std::string hint = near.empty() ? "" : "did you mean " + near + "? ";
  if (!name_or_path.empty() && is_kernel(name_or_path))
    hint = "for the folder of that name here, write ./" + name_or_path + "; ";
  throw Error(
      "there is no kernel \"" + name_or_path + "\"", {},
      hint + "kernels: " + list_or_none(names) + "; or the path of a folder with a kernel.json");
}

fs::path find_space(const Kernel& kernel, const std::string& backend, const fs::path& home) {
  if (!kernel.backend(backend)) {
    std::vector<std::string> names;
    for (const Backend& each : kernel.backends) names.push_back(each.name);
    throw Error("kernel " + kernel.name + " has no back end \"" + backend + "\"", {},
                did_you_mean(backend, names, "it has " + list_or_none(names)));
  }
  const std::string name = kernel.name + "." + backend + ".json";
  const std::vector<fs::path> places = {
      kernel.folder / name, kernel.folder / "search_spaces" / name, home / "search_spaces" / name};
  std::string tried;
  for (const fs::path& place : places) {
    std::error_code fault;
    if (fs::is_regular_file(place, fault)) return place;
    tried += (tried.empty() ? "" : ", ") + place.string();
  }
  throw Error("no search space for kernel " + kernel.name + " and back end " + backend, {},
              "looked for " + tried);
}

}  // namespace rooftune::kernel
