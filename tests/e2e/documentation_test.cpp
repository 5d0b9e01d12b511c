// Every block of the documentation is executed, in a user's folder, by documentation/blocks.py.
#include <catch2/catch.hpp>
#include <regex>
#include <sstream>

#include "core/file.h"
#include "os/subprocess.h"
#include "support/recorded_samples.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

TEST_CASE("every block of the documentation does what it says") {
  const User user;
  user.write("cache.json", test::cachefile_sample);
  if (!find_program("python3")) {
    WARN("skipped: python3 is not installed");
    return;
  }
  WARN(
      output_of(user,
                {"python3", std::string(ROOFTUNE_SOURCE_DIR) + "/tests/e2e/documentation/blocks.py",
                 ROOFTUNE_SOURCE_DIR, ROOFTUNE_RUNTIME},
                {{"DOCUMENTED_TUNE", ROOFTUNE_TUNE}, {"DOCUMENTED_PARSER", ROOFTUNE_PARSE_WORDS}}));
}

TEST_CASE("quickstart gives tune only words that tune knows") {
  const User user;
  std::istringstream script(read_text(std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "quickstart"));
  const std::regex call(R"re("\$tune" ([^|\n]*))re"), option("--[a-z-]+");
  int options = 0;
  for (std::string line; std::getline(script, line);) {
    std::smatch words;
    if (!std::regex_search(line, words, call)) continue;
    const std::string text = words[1], first = text.substr(0, text.find(' '));
    const Ran help =
        first.starts_with("-") ? user.tune({"help", "all"}) : user.tune({first, "--help"});
    INFO(line << help.output);
    CHECK(help.code == 0);
    for (std::sregex_iterator at(text.begin(), text.end(), option), end; at != end; ++at) {
      CHECK(help.says(at->str() + " "));
      ++options;
    }
  }
  CHECK(options >= 6);
}
