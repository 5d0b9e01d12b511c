// What a program reads beside its words: input files, variables.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

/// A script, and a space with one knob for it.
void make_program(const User& user, const std::string& name, const std::string& text) {
  user.write(name, text);
  std::filesystem::permissions(user.path(name), std::filesystem::perms::owner_all);
  user.write("space.json", R"({"schema": "rooftune-space-1", "knobs": [
    {"name": "a", "values": [1, 2, 3], "default": 1}]})");
}

std::vector<std::string> more_words(std::vector<std::string> words,
                                    const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("another value of a variable that runs inherit is another study, and said") {
  const User user;
  make_program(user, "app", "#!/bin/sh\necho time: 1.$1\n");
  const auto id = [&](const std::string& threads) {
    const Ran ran = user.tune({"--command", "./app {a}", "--space", "space.json", "--metric",
                               R"(regex:time: (\S+))", "--budget", "1", "--json", "out.json"},
                              {{"OMP_NUM_THREADS", threads}});
    INFO(ran.output);
    REQUIRE(ran.code == 0);
    CHECK(ran.says("another variable OMP_NUM_THREADS") == (threads == "2"));
    return read_json(user.path("out.json")).at("study").at("id").get<std::string>();
  };
  const std::string one = id("1");
  CHECK(id("1") == one);
  CHECK(id("2") != one);
}

TEST_CASE("a program is tuned by its input file, and what lies beside it is left alone") {
  const User user;
  make_program(user, "app", R"sh(#!/bin/sh
read block < input.txt
echo "time: $((30 - block)) ms" | tee log
echo changed > table
)sh");
  user.write("input.txt.in", "{a}\n");
  user.write("input.txt", "mine\n");
  user.write("table", "mine\n");
  const std::vector<std::string> words{
      "--command",     "./app",      "--template", "input.txt.in",
      "--space",       "space.json", "--metric",   R"(regex:time: (\S+) ms)",
      "--metric-unit", "ms",         "--check",    "command:test -s log",
      "--strategy",    "exhaustive"};
  const Ran planned = user.tune(more_words(words, {"--dry-run"}));
  INFO(planned.output);
  CHECK(planned.says("write  input.txt"));
  const Json result = user.tuned(words);
  CHECK(result.at("kernel") == "app");
  CHECK(result.at("best").at("configuration") == Json{{"a", 3}});
  CHECK(result.at("best").at("seconds").at("value") == Approx(27e-3));
  CHECK(read_text(user.path("input.txt")) == "mine\n");
  CHECK(read_text(user.path("table")) == "mine\n");
  CHECK_FALSE(std::filesystem::exists(user.path("log")));
  CHECK(std::filesystem::is_empty(user.path("tmp")));
  // Another text is another study.
  user.write("input.txt.in", "{a}\n\n");
  CHECK(user.tuned(words).at("study").at("id") != result.at("study").at("id"));
  user.write("input.txt.in", "{b}\n");
  const Ran unknown = user.tune(words);
  CHECK(unknown.code == 2);
  CHECK(unknown.says("--template input.txt.in"));
}

TEST_CASE("the example of a namelist is tuned as its page says") {
  const User user;
  if (!find_program("gfortran")) return;
  const std::filesystem::path folder = example("namelist");
  for (const char* file : {"ocean.f90", "input.nml.in", "ocean.json"})
    std::filesystem::copy(folder / file, user.path(file));
  output_of(user, {"gfortran", "-O2", "ocean.f90", "-o", "ocean"});
  const std::vector<std::string> words{"--command",  "./ocean",
                                       "--template", "input.nml.in",
                                       "--space",    "ocean.json",
                                       "--metric",   R"(regex:time: +(\S+) s)",
                                       "--check",    R"(regex:sum: +1\.0000)"};
  const std::string page = read_text(folder / "README.md");
  for (const std::string& word : words) CHECK(page.find(word) != std::string::npos);
  const Json result = user.tuned(
      more_words(words, {"--problem", "n=64", "--strategy", "exhaustive", "--budget", "100"}));
  for (const char* failure : {"crashed", "wrong_result", "timed_out"})
    CHECK(result.at("trials").value(failure, 0) == 0);
  CHECK_FALSE(std::filesystem::exists(user.path("input.nml")));
}

TEST_CASE("any figure is maximised within a condition on another, and told in its own unit") {
  const User user;
  make_program(user, "app",
               "#!/bin/sh\necho \"speed: $1,000.0 MLUP/s, accuracy: 9.9$((6 - $1))D-01\"\n");
  const Ran ran =
      user.tune({"--command", "./app {a}", "--space", "space.json", "--metric",
                 R"(max:regex:speed: (.*) MLUP)", "--metric-unit", "MLUP/s", "--metric",
                 R"(accuracy=max:regex:accuracy: (\S+))", "--check", "accuracy >= 0.994",
                 "--strategy", "exhaustive", "--json", "out.json"});
  INFO(ran.output);
  REQUIRE(ran.code == 0);
  const Json result = read_json(user.path("out.json"));
  CHECK(result.at("best").at("configuration") == Json{{"a", 2}});
  CHECK(result.at("trials").at("wrong_result") == 1);
  // Faster here is less accurate: both stand as a trade-off, also when the record is read again.
  CHECK(result.at("best").at("figures").at("accuracy") == 0.994);
  CHECK(result.at("trade_offs").size() == 2);
  CHECK(ran.says("accuracy, more is better"));
  CHECK(user.tune({"explain", "best"}).says("accuracy 0.994"));
  CHECK(user.tune({"export", "--kernel", "app", "--format", "json", "--as-recorded"})
            .says("\"accuracy\": 0.994"));
  CHECK(ran.says("app is 2.00x better than your baseline"));
  CHECK(ran.says("MLUP/s, more is better"));
  CHECK(ran.says("2000 MLUP/s"));
  CHECK(ran.says("1000 MLUP/s"));
  CHECK_FALSE(ran.says(" per call"));
  CHECK_FALSE(ran.says("faster"));
  CHECK(result.at("study").at("own_figure").at("unit") == "MLUP/s");
  CHECK(ran.says("1 wrong result"));
}
