// What sweeps left, shown: nights that were made up, and the real `tune`.
#include <catch2/catch.hpp>
#include <sstream>

#include "core/file.h"
#include "support/sweep_nights.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

TEST_CASE("sweeps are written as pages and in other formats, many at once") {
  const User user;
  test::simulate(user.path("results"), 3, 2, 4);
  const Ran ran = user.tune({"report", "--sweep", "results", "-o", "site", "-o", "junit=nights.xml",
                             "--output", "json=-"});
  CHECK(ran.code == 0);
  CHECK(ran.says("\"rooftune-series-1\""));
  CHECK(user.files("site", ".html").size() == 7);
  CHECK(read_text(user.path("nights.xml")).find("<testsuites") != std::string::npos);
  // Without an output: pages in the results.
  CHECK(user.tune({"report", "--sweep", "results"}).code == 0);
  CHECK(std::filesystem::exists(user.path("results/reports/sweeps/index.html")));
}

TEST_CASE("a file of a sweep that is broken is warned of, and the rest is written") {
  const User user;
  test::Nights nights(user.path("results"));
  const auto run = nights.begin();
  nights.add("triad", {});
  write_atomically(run / "torn.json", "{");
  const Ran ran = user.tune({"report", "--sweep", run.string(), "-o", "junit=junit.xml"});
  CHECK(ran.code == 0);
  CHECK(ran.says("warning: "));
  CHECK(ran.says("torn.json"));
  CHECK(read_text(user.path("junit.xml")).find("tests=\"1\"") != std::string::npos);
}

TEST_CASE("wrong words about sweeps are named before anything is written") {
  const User user;
  test::simulate(user.path("results"), 1, 1, 1);
  const std::vector<std::pair<std::vector<std::string>, const char*>> wrong{
      {{"--sweep", "results", "-o", "junti=x.xml"}, "\"junit\""},
      {{"--sweep", "results", "-o", "junit="}, "names no file"},
      {{"--sweep", "results", "-o", "json=no/where/x.json"}, "no/where"},
      {{"--sweep", "nowhere", "-o", "json=x.json"}, "is no folder"},
      {{"--sweep", "."}, "holds no sweep"},
      {{"--sweep", "results", "--kernel", "triad"}, "--kernel"},
      {{"--machine", "host", "-o", "a", "-o", "b"}, "several are for --sweep"}};
  for (const auto& [words, said] : wrong) {
    std::vector<std::string> all{"report"};
    all.insert(all.end(), words.begin(), words.end());
    const Ran ran = user.tune(all);
    INFO(ran.output);
    CHECK(ran.code == 2);
    CHECK(ran.says(said));
  }
  CHECK_FALSE(std::filesystem::exists(user.path("x.json")));
}

TEST_CASE("the commands of the nightly examples are understood, up to their plan") {
  const std::filesystem::path examples =
      std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "docs/examples/nightly";
  const User user;
  int commands = 0;
  for (const char* name :
       {"rooftune-nightly.service", "crontab", "github-actions.yml", "gitlab-ci.yml"}) {
    const std::string text = read_text(examples / name);
    const std::size_t at = text.find("tune sweep");
    REQUIRE(at != std::string::npos);
    std::istringstream line(text.substr(at + 5, text.find('\n', at) - at - 5));
    std::vector<std::string> words;
    for (std::string word; line >> word && word != ">>";) words.push_back(word);
    words[1] = "nowhere.json";
    const Ran ran = user.tune(words);
    INFO(name << ": " << ran.output);
    CHECK(ran.code == 2);
    CHECK(ran.says("nowhere.json"));
    commands += ran.says("unknown") ? 0 : 1;
  }
  CHECK(commands == 4);
}
