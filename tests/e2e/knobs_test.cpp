// Knobs between a search space and a source: none can be misspelt, none unread, and an editor knows
// them.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

/// The tutorial's kernel in the user's folder, with `from` in one of its files made `to`.
void copy_example(const User& user, const std::string& changed, const std::string& from,
                  const std::string& to) {
  const auto example = std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "docs/examples/mykernel";
  for (const auto& entry : std::filesystem::directory_iterator(example)) {
    const std::string name = entry.path().filename();
    std::string text = read_text(entry.path());
    if (name == changed) {
      const std::size_t at = text.find(from);
      REQUIRE(at != std::string::npos);
      text.replace(at, from.size(), to);
    }
    user.write("mykernel/" + name, text);
  }
}

/// Whether a plain compiler accepts the kernel's source.
bool compiles(const User& user, std::vector<std::string> flags) {
  Command command;
  command.argv = {"g++", "-std=c++20", "-fsyntax-only"};
  command.argv.insert(command.argv.end(), flags.begin(), flags.end());
  command.argv.push_back(user.path("mykernel/openmp.cpp"));
  return execute(command).status.ok();
}

}  // namespace

TEST_CASE("a misspelt knob stops the build and says what was meant") {
  const User user;
  copy_example(user, "openmp.cpp", "constexpr int unroll = KNOB_UNROLL;",
               "#ifndef KNOB_UNROL\n#define KNOB_UNROL 1\n#endif\n"
               "constexpr int unroll = KNOB_UNROL;");
  const std::string message =
      "openmp.cpp:6: error: KNOB_UNROL is no knob of search space mykernel.openmp; did you mean "
      "KNOB_UNROLL?";
  const Ran checked = user.tune({"check", "./mykernel"});
  INFO(checked.output);
  CHECK(checked.code == 1);
  CHECK(checked.says("build_failed: " + message));
  CHECK(checked.says("UNREAD        knob unroll: no source names KNOB_UNROLL"));
  const Ran tuned = user.tune({"--kernel", "./mykernel", "--budget", "2"});
  INFO(tuned.output);
  CHECK(tuned.code != 0);
  CHECK(tuned.says("did you mean KNOB_UNROLL?"));
}

TEST_CASE("tune check tells a knob that no source reads") {
  const User user;
  copy_example(user, "mykernel.openmp.json", R"("knobs": [)",
               R"("knobs": [
    {"name": "prefetch", "kind": "compile", "values": [0, 64], "default": 0, "breaks": ["prefetch"], "doc": "-"},)");
  const Ran ran = user.tune({"check", "./mykernel", "--json", user.path("check.json")});
  INFO(ran.output);
  CHECK(ran.code == 0);
  CHECK(ran.says("UNREAD        knob prefetch: no source names KNOB_PREFETCH"));
  const Json report = read_json(user.path("check.json"));
  CHECK(report.at("backends").at(0).at("unread_knobs") == Json{"prefetch"});
}

TEST_CASE("tune check tells a manifest that forgets a factor of its work") {
  const User user;
  copy_example(user, "kernel.json", "2*degree*n", "degree*n");
  const auto check = [&] {
    return user.tune({"check", "./mykernel", "--problem", "n=5000", "--json", "check.json"});
  };
  const Ran half = check();
  INFO(half.output);
  CHECK(half.code == 0);
  CHECK(half.says("MANIFEST?     "));
  CHECK(half.says("2 times the 160 kflop that the kernel declares"));
  CHECK_FALSE(read_json(user.path("check.json")).at("backends")[0].at("contradictions").empty());
  copy_example(user, "", "", "");
  const Ran whole = check();
  INFO(whole.output);
  CHECK_FALSE(whole.says("MANIFEST?     flops"));
}

TEST_CASE("with a header of knobs a plain compiler reads a source") {
  const User user;
  copy_example(user, "", "", "");
  const Ran ran = user.tune({"check", "./mykernel", "--emit-knobs", "knobs.h"});
  INFO(ran.output);
  CHECK(ran.code == 0);
  CHECK_FALSE(compiles(user, {}));
  CHECK(compiles(user, {"-include", user.path("knobs.h")}));
  const Ran unclear = user.tune({"check", "triad", "--emit-knobs", "knobs.h"});
  CHECK(unclear.code == 2);
  CHECK(unclear.says("--backend openmp"));
}

TEST_CASE("tune check --set checks one configuration, or says why there is none") {
  const User user;
  const auto checked = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"check", "triad", "--problem", "n=1000", "--json", "check.json"};
    words.insert(words.end(), more.begin(), more.end());
    return user.tune(words);
  };
  const Ran one = checked({"--backend", "cuda", "--set", "block=64,items=4"});
  INFO(one.output);
  CHECK(one.code == 0);
  CHECK(one.says("block=64,items=4 ok"));
  const Json done = read_json(user.path("check.json")).at("backends").at(0).at("configurations");
  REQUIRE(done.size() == 1);
  CHECK(done.at(0).at("configuration").get<std::string>().rfind("async_stages=0 block=64", 0) == 0);
  CHECK(checked({"--set", "block=64"}).says("--backend openmp"));
  CHECK(checked({"--backend", "cuda", "--set", "blok=64"}).says("did you mean \"block\"?"));
  CHECK(checked({"--backend", "cuda", "--set", "block=65"}).says("knob block has no value 65"));
  const Ran never = checked({"--backend", "cuda", "--set", "block=1024,min_blocks=8"});
  CHECK(never.code == 2);
  CHECK(never.says("the multiprocessor holds fewer threads"));
}
