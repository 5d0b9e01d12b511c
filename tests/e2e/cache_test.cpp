// The cache of built variants, and files that the user names, from the command line.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "core/file.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

const std::vector<std::string> short_study{"--kernel",       "triad",       "--problem", "n=200000",
                                           "--threads",      "1",           "--budget",  "2",
                                           "--no-staircase", "--no-anchors"};

std::vector<std::string> with(std::vector<std::string> words,
                              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void damage(const std::filesystem::path& library, bool tear) {
  if (tear) return std::filesystem::resize_file(library, 1000);
  std::string text = read_text(library);
  for (std::size_t at = 0x1000; at < text.size(); ++at) text[at] = static_cast<char>(~text[at]);
  std::ofstream(library, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("a study heals a cache that a power cut has torn") {
  const User user(Builds::own);
  REQUIRE(user.tune(short_study).code == 0);
  const auto libraries = user.files("cache/artefacts", ".so");
  REQUIRE(libraries.size() >= 3);
  for (const bool tear : {true, false}) {
    for (const auto& library : libraries) damage(library, tear);
    const Ran again = user.tune(with(short_study, {"--fresh"}));
    INFO(again.output);
    CHECK(again.code == 0);
  }
}

TEST_CASE("tune takes no code from a cache that others can replace") {
  const User user(Builds::own);
  REQUIRE(user.tune(short_study).code == 0);
  REQUIRE(chmod(user.path("cache").c_str(), 0777) == 0);
  const Ran ran = user.tune(with(short_study, {"--fresh"}));
  INFO(ran.output);
  CHECK(ran.code == 2);
  CHECK(ran.says("chmod o-w " + user.path("cache").string()));
  CHECK(ran.says("ROOFTUNE_CACHE"));
}

TEST_CASE("a result that could not be written is refused before the study") {
  const User user;
  for (const char* command : {"", "bench"}) {
    auto words = short_study;
    if (*command) words = {command, "--kernel", "triad"};
    const Ran ran = user.tune(with(words, {"--json", "no/such/folder/out.json"}));
    INFO(ran.output);
    CHECK(ran.code == 2);
    CHECK(ran.says("there is no folder no/such/folder"));
    CHECK(ran.says("mkdir -p"));
  }
  CHECK_FALSE(std::filesystem::exists(user.path("results")));
  CHECK(user.tune({"check", "triad", "--json", user.path("tmp").string()}).code == 2);
}

TEST_CASE("outputs go through devices and links") {
  const User user;
  user.write(
      "cache.json",
      R"({"tune_params_keys": ["x"], "cache": {"1": {"x": 1, "time": 1.5, "timestamp": "t"}}})");
  const std::string cache = user.path("cache.json").string();
  const auto import = [&](const std::string& output) {
    return user.tune({"import", cache, "--format", "t4", "-o", output});
  };
  const Ran to_stdout = import("/dev/stdout");
  CHECK(to_stdout.code == 0);
  CHECK(to_stdout.says("\"results\""));
  std::filesystem::create_symlink("/dev/null", user.path("sink"));
  CHECK(import(user.path("sink").string()).code == 0);
  CHECK(std::filesystem::is_character_file(user.path("sink")));
  std::filesystem::create_symlink("real.json", user.path("link.json"));
  CHECK(import(user.path("link.json").string()).code == 0);
  CHECK(std::filesystem::is_symlink(user.path("link.json")));
  CHECK(read_text(user.path("real.json")).find("\"results\"") != std::string::npos);
  REQUIRE(chmod(user.path("real.json").c_str(), 0600) == 0);
  CHECK(import(user.path("real.json").string()).code == 0);
  struct stat status {};
  REQUIRE(stat(user.path("real.json").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}
