// Finding a Kokkos as CMake finds it, and what is said of those that cannot be used.
#include "build/kokkos.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "build/artefact.h"
#include "build/flags.h"
#include "build/shim.h"
#include "core/error.h"
#include "os/temporary_directory.h"
#include "support/environment_variable.h"

using namespace rooftune;
using Catch::Contains;

namespace {

/// An installed Kokkos of which only what is read exists.
std::string package(const TemporaryDirectory& folder, int version, const std::string& spaces) {
  const auto prefix = folder.path() / "prefix";
  const auto config = prefix / "lib/cmake/Kokkos";
  std::filesystem::create_directories(config);
  std::filesystem::create_directories(prefix / "include");
  std::ofstream(config / "KokkosConfig.cmake")
      << "add_library(Kokkos::kokkos INTERFACE IMPORTED)\n"
         "set_target_properties(Kokkos::kokkos PROPERTIES INTERFACE_INCLUDE_DIRECTORIES \""
      << (prefix / "include").string()
      << ";/no/such/folder\" INTERFACE_COMPILE_OPTIONS -fno-math-errno\n"
         "  INTERFACE_COMPILE_DEFINITIONS \"TEXT=\\\"a b\\\"\" INTERFACE_LINK_LIBRARIES m)\n";
  std::ofstream header(prefix / "include/Kokkos_Macros.hpp");
  header << "#define KOKKOS_VERSION " << version << "\n" << spaces;
  return prefix.string();
}

KokkosLibrary found(const TemporaryDirectory& folder, const std::string& prefix) {
  const testing::EnvironmentVariable variable("ROOFTUNE_KOKKOS", prefix);
  return kokkos_library(folder.path() / "kept", host_compiler());
}

std::string refusal(const TemporaryDirectory& folder, const std::string& prefix) {
  try {
    found(folder, prefix);
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::unavailable);
    CHECK_THAT(error.hint(), Contains("ROOFTUNE_KOKKOS"));
    return error.message();
  }
  return "no error";
}

}  // namespace

TEST_CASE("words of a shell: quotes, escapes, empty words") {
  CHECK(shell_words(" -a  \"b c\" 'd e' f\\ g \"\"\n") ==
        std::vector<std::string>{"-a", "b c", "d e", "f g", ""});
  CHECK(shell_words("-DTEXT=\"\\\"a b\\\"\"") == std::vector<std::string>{"-DTEXT=\"a b\""});
  CHECK(shell_words("").empty());
}

TEST_CASE("a Kokkos is read as an application would use it, whatever its targets name") {
  const TemporaryDirectory folder;
  const std::string prefix =
      package(folder, 40601, "#define KOKKOS_ENABLE_SERIAL\n#define KOKKOS_ENABLE_OPENMP\n");
  const KokkosLibrary library = found(folder, prefix);
  CHECK(library.version == 40601);
  CHECK(library.version_text() == "4.6.1");
  CHECK(library.space == "openmp");
  CHECK(library.on_host());
  CHECK(library.compiler.empty());
  CHECK_THAT(library.compile, Catch::VectorContains(std::string("-fno-math-errno")));
  CHECK_THAT(library.compile, Catch::VectorContains(std::string("-DTEXT=\"a b\"")));
  CHECK_THAT(library.link, Catch::VectorContains(std::string("-lm")));
  const Facts facts = kokkos_facts(library);
  CHECK(facts.at("kokkos_version") == Value(40601));
  CHECK(facts.at("kokkos_space") == Value("openmp"));

  // Kept until the package changes.
  std::filesystem::remove(prefix + "/include/Kokkos_Macros.hpp");
  CHECK(found(folder, prefix).link == library.link);
  const auto config = prefix + "/lib/cmake/Kokkos/KokkosConfig.cmake";
  std::filesystem::last_write_time(
      config, std::filesystem::last_write_time(config) - std::chrono::hours(1));
  CHECK(refusal(folder, prefix) == "Kokkos cannot be used: its headers do not compile");
}

TEST_CASE("a Kokkos for a device is told from one for the CPU") {
  const TemporaryDirectory folder;
  const KokkosLibrary library = found(folder, package(folder, 50000,
                                                      "#define KOKKOS_ENABLE_SERIAL\n"
                                                      "#define KOKKOS_ENABLE_CUDA\n"));
  CHECK(library.space == "cuda");
  CHECK_FALSE(library.on_host());
}

TEST_CASE("what cannot be used says why") {
  const TemporaryDirectory folder;
  CHECK(refusal(folder, package(folder, 30200, "#define KOKKOS_ENABLE_SERIAL\n")) ==
        "Kokkos cannot be used: it is 3.2.0, 3.4 or later is needed");
  const TemporaryDirectory another;
  CHECK(refusal(another, package(another, 40000, "")) ==
        "Kokkos cannot be used: it was built without any execution space");
  CHECK(refusal(folder, "/no/such/prefix") == "Kokkos cannot be used: there is no such folder");
  const TemporaryDirectory empty;
  CHECK_THAT(refusal(empty, empty.path().string()), Contains("Kokkos"));
}

TEST_CASE("the shim of a Kokkos variant starts Kokkos before every function") {
  Kernel kernel;
  const std::string text = shim(kernel, "/k/kokkos.cpp", "f", true, true, start_kokkos);
  CHECK_THAT(text, Contains("#include <rooftune/kokkos.h>"));
  std::size_t starts = 0;
  for (std::size_t at = text.find("start_kokkos();"); at != std::string::npos;
       at = text.find("start_kokkos();", at + 1))
    ++starts;
  CHECK(starts == 3);
}
