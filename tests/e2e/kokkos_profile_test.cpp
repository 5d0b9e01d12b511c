// The connector beside a real Kokkos application, and what `tune kokkos` makes of its profile.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

TEST_CASE("beside the connector an unmodified application computes what it did, and is profiled") {
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
  const std::string profiled = output_of(user, {program}, tools);
  INFO(profiled);
  CHECK(profiled.find(", wrong") == std::string::npos);
  const Json profile = read_json(user.path("rooftune-kokkos.json"));
  std::map<std::string, Json> kernels;
  for (const Json& kernel : profile.at("kernels")) kernels[kernel.at("name")] = kernel;
  CHECK(kernels.at("visit").at("calls") == 3);
  CHECK(kernels.at("visit").at("pattern") == "for");
  CHECK(kernels.at("cube").at("pattern") == "reduce");
  CHECK(kernels.at("scan").at("pattern") == "scan");
  CHECK(kernels.at("count \"visits\"").at("calls") == 3);
  const Ran table = user.tune({"kokkos", "rooftune-kokkos.json"});
  CHECK(table.code == 0);
  CHECK(table.says("visit"));

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

TEST_CASE("the kernels of a profile come by their time, and a fault is told") {
  const User user;
  user.write("profile.json", R"({"schema": "rooftune-kokkos-1", "kokkos": "4.6.1", "seconds": 10,
    "kernels": [
      {"name": "less", "pattern": "reduce", "device": "OpenMP", "calls": 2, "seconds": 4},
      {"name": "most", "pattern": "for", "device": "OpenMP", "calls": 1, "seconds": 5, "least": 5}
    ]})");
  const Ran ran = user.tune({"kokkos", "profile.json"});
  INFO(ran.output);
  CHECK(ran.code == 0);
  CHECK(ran.output.find("most") < ran.output.find("less"));
  CHECK(ran.says("56 %"));
  user.write("profile.json", "{\"schema\": \"rooftune-kokkos-9\"}");
  CHECK(user.tune({"kokkos", "profile.json"}).says("rooftune-kokkos-1"));
  user.write("profile.json", R"({"schema": "rooftune-kokkos-1", "seconds": 1, "kernels": [
    {"name": "a", "pattern": "for", "calls": 0, "seconds": -1}]})");
  const Ran bad = user.tune({"kokkos", "profile.json"});
  CHECK(bad.code == 2);
  CHECK(bad.says("/kernels/0/calls"));
}
