// The connector beside a real Kokkos application.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

TEST_CASE("beside the connector an unmodified application computes what it did") {
  // Of the Kokkos that ROOFTUNE_KOKKOS names, or Debian's.
  const char* const named = std::getenv("ROOFTUNE_KOKKOS");
  if (!named && !std::filesystem::exists("/usr/include/trilinos/Kokkos_Core.hpp")) {
    WARN("skipped: there is no Kokkos (libtrilinos-kokkos-dev)");
    return;
  }
  const User user;
  build_project(
      user, ROOFTUNE_SOURCE_DIR "/tests/e2e/kokkos", "built",
      {"-DCMAKE_BUILD_TYPE=Release", std::string("-DKokkos_ROOT=") + (named ? named : "")});
  const std::string program = user.path("built/answers").string();
  std::map<std::string, std::string> tools{{"KOKKOS_TUNE_INTERNALS", "1"}};
  // The name before Kokkos 3.7, and since.
  for (const char* variable : {"KOKKOS_PROFILE_LIBRARY", "KOKKOS_TOOLS_LIBS"})
    tools[variable] = ROOFTUNE_KOKKOS_CONNECTOR;
  const std::string alone = output_of(user, {program});
  INFO(alone);
  CHECK(alone.find("wrong") == std::string::npos);
  // Where this Kokkos asks a tool, sizes are taken as far as they are harmless.
  tools["ROOFTUNE_KOKKOS_VALUES"] =
      "square_tile_size_0=16;square_tile_size_1=4;visit_tile_size_0=8;team_team_size=2";
  const std::string tuned = output_of(user, {program}, tools);
  INFO(tuned);
  CHECK(tuned.find(", wrong") == std::string::npos);
  if (tuned.find("asks for sizes") == std::string::npos) return;
  const bool broken = tuned.find("sizes, broken") != std::string::npos;
  CHECK((tuned.find("computes wrong results") != std::string::npos) == broken);
  if (tuned.find(", 1 threads") == std::string::npos)
    CHECK(tuned.find("teams of 2") != std::string::npos);
}
