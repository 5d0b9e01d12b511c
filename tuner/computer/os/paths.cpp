// Rooftune's own files, found from the environment, the executable or the source tree.
#include "os/paths.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <sstream>

#include "core/error.h"
#include "core/file.h"

namespace rooftune::os {
namespace {

std::filesystem::path from_environment(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? std::filesystem::path(text) : std::filesystem::path();
}

bool is_home(const std::filesystem::path& place) {
  std::error_code fault;
  return std::filesystem::is_directory(place / "kernels", fault) &&
         std::filesystem::is_directory(place / "search_spaces", fault);
}

/// $HOME, else the folder in the password database; nullopt where neither has one.
std::optional<std::filesystem::path> user_directory() {
  if (const auto user = from_environment("HOME"); user.is_absolute()) return user;
  std::vector<char> buffer(1 << 16);
  passwd entry{}, *found = nullptr;
  if (getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found) != 0 || !found)
    return std::nullopt;
  const std::filesystem::path user = found->pw_dir;
  std::error_code fault;
  if (!user.is_absolute() || !std::filesystem::is_directory(user, fault)) return std::nullopt;
  return user;
}

/// nullopt for a user without a folder: a world-writable place is no place for trusted files.
std::optional<std::filesystem::path> below_user(const char* variable, const char* fallback) {
  // By the XDG specification relative paths are ignored.
  if (const auto chosen = from_environment(variable); chosen.is_absolute()) return chosen;
  const auto user = user_directory();
  return user ? std::optional(*user / fallback) : std::nullopt;
}

bool can_be_written(const std::filesystem::path& directory) {
  std::error_code fault;
  std::filesystem::create_directories(directory, fault);
  return !fault && access(directory.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

std::filesystem::path home() {
  if (const auto chosen = from_environment("ROOFTUNE_HOME"); !chosen.empty()) {
    if (is_home(chosen)) return std::filesystem::absolute(chosen);
    throw Error("ROOFTUNE_HOME has no folders kernels and search_spaces", chosen.string());
  }
  const auto installed = self().parent_path().parent_path() / "share" / "rooftune";
  if (is_home(installed)) return installed;
  const std::filesystem::path sources = ROOFTUNE_SOURCE_DIR;
  if (is_home(sources)) return sources;
  throw Error("the folders kernels, search_spaces and machines were not found",
              installed.string() + " and " + sources.string(),
              "set ROOFTUNE_HOME to the directory that holds them", ExitCode::unavailable);
}

std::filesystem::path variant_include_directory() { return home() / "kernels" / "include"; }

std::vector<std::filesystem::path> machine_directories() {
  std::vector<std::filesystem::path> places;
  if (const auto chosen = from_environment("ROOFTUNE_MACHINES"); !chosen.empty())
    places.push_back(chosen);
  places.push_back(home() / "machines");
  if (const auto data = below_user("XDG_DATA_HOME", ".local/share"))
    places.push_back(*data / "rooftune" / "machines");
  return places;
}

std::filesystem::path writable_machine_directory() {
  const auto places = machine_directories();
  for (const auto& place : places)
    if (can_be_written(place)) return place;
  throw Error("no directory for machine files can be written", places.back().string(),
              "set ROOFTUNE_MACHINES to one that can, or HOME", ExitCode::io);
}

std::filesystem::path best_known_directory() {
  if (const auto chosen = from_environment("ROOFTUNE_BEST_KNOWN"); !chosen.empty()) return chosen;
  return home() / "search_spaces" / "best_known";
}

std::string filled_template(const std::string& name, const Fillings& fillings) {
  std::istringstream lines(read_text(variant_include_directory() / "rooftune" / (name + ".in")));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t mark = line.find('?'), begin = line.starts_with("@!") ? 2 : 1;
    if (line.starts_with('@') && mark < line.find_first_of("@ ", 1)) {
      const auto filling = fillings.find(line.substr(begin, mark - begin));
      const bool filled = filling != fillings.end() && !filling->second.empty();
      if (filled != (begin == 1)) continue;
      line.erase(0, mark + 1);
    }
    text += line + '\n';
  }
  for (const auto& [word, value] : fillings) {
    const std::string place = "@" + word + "@";
    for (std::size_t at = text.find(place); at != text.npos;
         at = text.find(place, at + value.size()))
      text.replace(at, place.size(), value);
  }
  return text;
}

std::filesystem::path cache_directory() {
  if (const auto chosen = from_environment("ROOFTUNE_CACHE"); !chosen.empty())
    return std::filesystem::absolute(chosen);
  if (const auto cache = below_user("XDG_CACHE_HOME", ".cache")) return *cache / "rooftune";
  throw Error("there is no home directory to keep the cache in", "HOME",
              "set HOME, or ROOFTUNE_CACHE to a folder of your own");
}

std::filesystem::path self() { return std::filesystem::read_symlink("/proc/self/exe"); }

std::filesystem::path worker_program() {
  const char* chosen = std::getenv("ROOFTUNE_WORKER");
  if (chosen && *chosen) return chosen;
  // A new build during a study removes the file; the process still has it.
  std::error_code gone;
  if (std::filesystem::exists(self(), gone)) return self();
  return "/proc/" + std::to_string(getpid()) + "/exe";
}

}  // namespace rooftune::os
