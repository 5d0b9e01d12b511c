// A time loop with an exported library, as the tutorial says: right with every variant.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

TEST_CASE("an application steps ten times with a library of each layout and gets the reference's") {
  const User user;
  std::filesystem::copy(example("gray_scott"), user.path("mine"));
  // Two configurations. The untuned form has the layout of its own, and takes its time: the other
  // wins.
  Json space = read_json(user.path("mine/gray_scott.openmp.json"));
  space["knobs"] = {space["knobs"][0]};
  space["knobs"][0]["default"] = "mixed";
  user.write("mine/gray_scott.openmp.json", space.dump(1));
  std::string source = read_text(user.path("mine/openmp.cpp"));
  const std::string begin = "    un = kept->own.at(un).data();\n";
  REQUIRE(source.find(begin) != std::string::npos);
  source.insert(source.find(begin),
                "    for (volatile int i = 0; i < 300000; i = i + 1) {\n    }\n");
  source.replace(source.find("constexpr int unroll = KNOB_UNROLL"), 34, "constexpr int unroll = 2");
  user.write("mine/openmp.cpp", source);
  user.tuned({"--kernel", "./mine", "--problem", "n=20", "--budget", "2"});
  const Ran exported = user.tune(
      {"export", "--kernel", "gray_scott", "--format", "library", "-o", "lib", "--as-recorded"});
  INFO(exported.output);
  REQUIRE(exported.code == 0);
  build_project(user, "mine", "loop", {"-DTUNED_GRAY_SCOTT=" + user.path("lib").string()});
  for (const std::string variant : {"v1", "baseline"})
    for (const char* n : {"20", "33"}) {
      const std::string said = output_of(user, {user.path("loop/loop").string(), n},
                                         {{"TUNED_GRAY_SCOTT_VARIANT", variant}});
      CHECK(said.find("variant " + variant) == 0);
      CHECK(said.find(": differs by ") != std::string::npos);
    }
}

TEST_CASE("a pair of arrays with a wrong name is told before anything is built") {
  const User user;
  std::filesystem::copy(example("gray_scott"), user.path("mine"));
  std::string manifest = read_text(user.path("mine/kernel.json"));
  manifest.replace(manifest.find("\"vn\"]]"), 6, "\"nv\"]]");
  user.write("mine/kernel.json", manifest);
  const Ran ran = user.tune({"check", "./mine"});
  INFO(ran.output);
  CHECK(ran.code == 2);
  CHECK(ran.says("kernel.json: /swap/1: there is no argument \"nv\""));
}
