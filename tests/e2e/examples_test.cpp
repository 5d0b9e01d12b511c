// The examples of docs/examples, built and run on small inputs as their pages say. What they print
// of times is not looked at; that their results are right is.
#include <rooftune/rooftune.h>

#include <catch2/catch.hpp>

#include "core/file.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

void copy_example(const User& user, const std::string& name) {
  std::filesystem::copy(example(name), user.path(name));
  std::filesystem::copy(example("ratio.h"), user.path("ratio.h"));
}

std::vector<std::string> of_program(const std::string& command, const std::string& space,
                                    const std::string& metric, const std::string& check,
                                    const std::string& build) {
  std::vector<std::string> words{"--command",     command,          "--space",  space,
                                 "--problem",     "n=64",           "--metric", "regex:" + metric,
                                 "--check",       "regex:" + check, "--budget", "2",
                                 "--no-staircase"};
  if (!build.empty()) words.insert(words.end(), {"--build", build});
  return words;
}

}  // namespace

TEST_CASE("the example of a header is tuned, exported, built with it and right") {
  const User user;
  copy_example(user, "tuned_header");
  const std::string page = read_text(example("tuned_header") + "/README.md");
  const std::string build =
      "g++ -O3 -march=native -DTILE={tile} tuned_header/blur.cpp -o {BUILD_DIR}/blur";
  CHECK(page.find("-DTILE={tile}") != std::string::npos);
  user.tuned(of_program("{BUILD_DIR}/blur {n} once", "tuned_header/blur.json",
                        R"(transposing: (\S+) s)", "right: yes", build));
  REQUIRE(user.tune({"export", "--kernel", "blur", "--format", "header", "-o", "blur_tuned.h",
                     "--as-recorded"})
              .code == 0);
  build_project(user, "tuned_header", "built",
                {"-DTUNED_HEADER=" + user.path("blur_tuned.h").string()});
  CHECK(output_of(user, {user.path("built/blur").string(), "67"}).find("faster") !=
        std::string::npos);
}

TEST_CASE("the example in Fortran takes the block that was tuned for it") {
  const User user;
  if (!find_program("gfortran")) {
    WARN("skipped: gfortran is not installed");
    return;
  }
  copy_example(user, "fortran_block");
  const std::string library = std::filesystem::path(ROOFTUNE_RUNTIME).parent_path().string();
  output_of(user, {"gfortran", "-O1",
                   std::string(ROOFTUNE_SOURCE_DIR) +
                       "/tuner/extensions/applications/bindings/fortran/rooftune.f90",
                   "fortran_block/blocked.f90", "-o", "blocked", "-L" + library, "-lrooftune",
                   "-Wl,-rpath," + library});
  const std::string program = user.path("blocked").string();
  CHECK(output_of(user, {program, "64"}).find("block 8 is its own") != std::string::npos);
  user.tuned(of_program(program + " {n} {block}", "fortran_block/blocked.json", R"(time: +(\S+) s)",
                        "right: T", ""));
  REQUIRE(user.tune({"export", "--kernel", "blocked", "--format", "json", "-o", "blocked.json",
                     "--as-recorded"})
              .code == 0);
  // The machine of the tests is imagined: this one takes its place.
  Json tuned = read_json(user.path("blocked.json"));
  tuned["machine"]["id"] = rooftune_this_machine()->id;
  user.write("blocked.json", tuned.dump());
  const std::string said =
      output_of(user, {program, "64"}, {{"ROOFTUNE_EXPORTS", user.path("blocked.json").string()}});
  INFO(said);
  CHECK(said.find("is tuned here") != std::string::npos);
}

TEST_CASE("the Kokkos application is right beside the connector") {
  const User user;
  if (!std::filesystem::exists("/usr/include/trilinos/Kokkos_Core.hpp")) {
    WARN("skipped: there is no Kokkos (libtrilinos-kokkos-dev)");
    return;
  }
  build_project(user, example("kokkos_app"), "built");
  std::map<std::string, std::string> tools{{"ROOFTUNE_KOKKOS_LIST", "open_sizes.json"}};
  for (const char* variable : {"KOKKOS_PROFILE_LIBRARY", "KOKKOS_TOOLS_LIBS"})
    tools[variable] = ROOFTUNE_KOKKOS_CONNECTOR;
  const std::string said =
      output_of(user, {user.path("built/blocks").string(), "50", "2", "3"}, tools);
  CHECK(said.find("result: right") != std::string::npos);
  // Debian's has no tuning: the connector was loaded, and nothing is open.
  CHECK(read_json(user.path("open_sizes.json")).is_array());
}
