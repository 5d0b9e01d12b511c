// A throw-away CMake project asks for Kokkos and is read, not built: only CMake knows what every
// version, option and vendor's package needs.
#include "build/kokkos.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "build/compilation.h"
#include "build/flags.h"
#include "core/fields.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/list.h"
#include "core/split.h"
#include "core/text.h"
#include "os/paths.h"
#include "os/subprocess.h"
#include "os/temporary_directory.h"

namespace rooftune::build {
namespace {

constexpr int oldest = 30400;
constexpr const char* cure =
    "install a Kokkos (Debian: apt-get install libtrilinos-kokkos-dev make), or name one: "
    "ROOFTUNE_KOKKOS=<its prefix>";

/// kokkos.cmake finds it as exported libraries do.
constexpr const char* project_text = R"(cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES CXX)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
include(kokkos.cmake)
file(WRITE ${CMAKE_BINARY_DIR}/origin "${Kokkos_DIR}")
add_executable(user user.cpp)
target_link_libraries(user PRIVATE Kokkos::kokkos)
)";

Error unusable(const std::string& what, const std::string& where) {
  return Error("Kokkos cannot be used: " + what, where, cure, ExitCode::unavailable);
}

std::string chosen_prefix() {
  if (const std::string chosen = environment_text("ROOFTUNE_KOKKOS"); !chosen.empty())
    return chosen;
  return fs::exists(ROOFTUNE_KOKKOS_DIRECTORY) ? ROOFTUNE_KOKKOS_DIRECTORY : "";
}

/// The last error line that CMake wrote.
std::string complaint(const std::string& output) {
  bool inside = false;
  for (const std::string& line : split(output)) {
    if (inside && !trimmed(line).empty()) return std::string(trimmed(line));
    inside = inside || line.starts_with("CMake Error");
  }
  return "CMake failed";
}

Finished asked(Texts argv, const fs::path& directory) {
  Command command = command_in(directory, 60);
  command.argv = std::move(argv);
  command.without = {"MAKEFLAGS", "CXXFLAGS", "LDFLAGS"};
  return execute(command);
}

void configure(const fs::path& folder, const std::string& prefix, const HostCompiler& compiler) {
  if (!prefix.empty() && !fs::exists(prefix))
    throw unusable("there is no such folder", "ROOFTUNE_KOKKOS=" + prefix);
  write_atomically(folder / "CMakeLists.txt", project_text);
  write_atomically(folder / "kokkos.cmake",
                   filled_template("library/kokkos.cmake", {{"NAME", "user"}}));
  write_atomically(folder / "user.cpp", "int main() {}\n");
  // "ccache g++" is a launcher and its compiler.
  const bool launched = !compiler.flags.empty() && compiler.flags.front().front() != '-';
  Texts argv{"cmake", "-S", ".", "-B", "b", "-G", "Unix Makefiles"};
  argv.push_back("-DCMAKE_CXX_COMPILER=" + (launched ? compiler.flags.front() : compiler.path));
  if (!prefix.empty()) argv.push_back("-DKokkos_PLACE=NO_DEFAULT_PATH;PATHS;" + prefix);
  if (!find_program("cmake"))
    throw Unavailable("cmake, which finds Kokkos, is not installed", "PATH",
                      "apt-get install cmake make");
  const Finished finished = asked(std::move(argv), folder);
  if (!finished.status.ok())
    throw unusable(complaint(finished.output), prefix.empty() ? "CMake's search" : prefix);
}

/// The words behind "NAME =" in a flags.make.
Texts variable(const std::string& text, const std::string& name, const std::string& where) {
  for (const std::string& line : split(text))
    if (line.starts_with(name + " =")) return shell_words(line.substr(name.size() + 2), where);
  return {};
}

void read_flags(const fs::path& folder, KokkosLibrary& library) {
  const auto inside = folder / "b/CMakeFiles/user.dir";
  const std::string flags = read_text(inside / "flags.make");
  for (const char* name : {"CXX_DEFINES", "CXX_INCLUDES", "CXX_FLAGS"})
    for (const std::string& word : variable(flags, name, (inside / "flags.make").string()))
      if (word != "-fPIE") library.compile.push_back(word);
  const Texts words = shell_words(read_text(inside / "link.txt"), (inside / "link.txt").string());
  const auto output = std::ranges::find(words, "-o");
  for (auto word = output; word != words.end(); ++word)
    if (word > output + 1) {
      const bool relative = word->front() != '-' && word->front() != '/';
      library.link.push_back(relative ? (folder / "b" / *word).string() : *word);
    }
  library.origin = read_text(folder / "b/origin");
}

/// Version and spaces, from the macros of Kokkos' headers.
void read_macros(const fs::path& folder, const HostCompiler& compiler, KokkosLibrary& library) {
  write_atomically(folder / "user.cpp", "#include <Kokkos_Macros.hpp>\n");
  Texts argv{compiler.path};
  for (const std::string& flag : compiler.flags)
    if (flag != "-shared") argv.push_back(flag);
  append(argv, library.compile);
  append(argv, {"-E", "-dM", "-o", "macros", "user.cpp"});
  const Finished finished = asked(std::move(argv), folder);
  if (!finished.status.ok()) throw unusable("its headers do not compile", library.origin);
  const std::string macros = read_text(folder / "macros");
  const auto at = macros.find("#define KOKKOS_VERSION ");
  if (at == std::string::npos) throw unusable("its headers tell no version", library.origin);
  library.version = std::atoi(macros.c_str() + at + 23);
  for (const char* space :
       {"CUDA", "HIP", "SYCL", "OPENMPTARGET", "OPENACC", "OPENMP", "THREADS", "HPX", "SERIAL"}) {
    const std::string line = std::string("#define KOKKOS_ENABLE_") + space;
    if (!contains(macros, line + "\n") && !contains(macros, line + " ")) continue;
    library.space = lower_case(space);
    return;
  }
  throw unusable("it was built without any execution space", library.origin);
}

KokkosLibrary asked_for(const std::string& prefix, const HostCompiler& compiler) {
  const TemporaryDirectory folder;
  KokkosLibrary library;
  configure(folder.path(), prefix, compiler);
  read_flags(folder.path(), library);
  read_macros(folder.path(), compiler, library);
  const auto wrapper = fs::path(library.origin) / "../../../bin/nvcc_wrapper";
  if (library.space == "cuda" && fs::exists(wrapper))
    library.compiler = fs::canonical(wrapper).string();
  return library;
}

/// Changes when another Kokkos is installed at the same place.
std::string stamp(const std::string& origin) {
  std::error_code fault;
  const auto time = fs::last_write_time(origin + "/KokkosConfig.cmake", fault);
  return fault ? "" : std::to_string(time.time_since_epoch().count());
}

std::optional<KokkosLibrary> remembered(const fs::path& file) {
  try {
    const Json json = read_json(file);
    auto library = decoded<KokkosLibrary>(json.at("library"), file.string());
    const std::string now = stamp(library.origin);
    if (!now.empty() && json.at("stamp") == now) return library;
  } catch (const std::exception&) {
    // None, or an older version of ours wrote it: CMake is asked.
  }
  return std::nullopt;
}

}  // namespace

std::string KokkosLibrary::version_text() const {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

bool KokkosLibrary::on_host() const { return is_among(space, "serial openmp threads hpx"); }

KokkosLibrary kokkos_library(const fs::path& directory, const HostCompiler& compiler) {
  const std::string prefix = chosen_prefix();
  LabelledHash hash;
  hash.add("prefix", prefix).add("compiler", compiler.path).add("version", compiler.version);
  const auto file = directory / (hash.hex().substr(0, 16) + ".json");
  // The answer names a compiler, and this will run.
  require_private(directory, "ROOFTUNE_CACHE");
  std::optional<KokkosLibrary> library = remembered(file);
  if (!library) {
    library = asked_for(prefix, compiler);
    make_private(directory, "ROOFTUNE_CACHE");
    const Json answer{{"library", encode(*library)}, {"stamp", stamp(library->origin)}};
    write_atomically(file, json_text(answer, 2) + "\n");
  }
  if (library->version < oldest)
    throw unusable(fmt::format("it is {}, 3.4 or later is needed", library->version_text()),
                   library->origin);
  return *library;
}

Facts kokkos_facts(const KokkosLibrary& library) {
  return {{"kokkos_version", Value(library.version)}, {"kokkos_space", Value(library.space)}};
}

}  // namespace rooftune::build
