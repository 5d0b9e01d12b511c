// Several compilers at once, from the command line to the record.
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "core/file.h"
#include "support/nvrtc.h"
#include "support/zero_kernel.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

TEST_CASE("several compilers work at once, Ctrl-C ends them all, and the batch goes on in order") {
  const User user;
  const auto compiler = find_program("g++");
  REQUIRE(compiler);
  const std::string tmp = user.path("tmp").string();
  // From the batch after the baseline on each is held, so that none makes room for another.
  const auto environment =
      installed(user, "c++",
                "#!/bin/sh\ncase \"$*\" in *shim.cpp*)\n  if [ -e " + tmp +
                    "/held ] && [ \"$(cat " + user.path("results/records").string() +
                    "/*/*.jsonl | grep -c '\"event\":\"proposed\"')\" -ge 2 ]; then\n    : > " +
                    tmp + "/compiler.$$\n    exec sleep 100000\n  fi\nesac\nexec " +
                    compiler->string() + " \"$@\"\n");
  const std::vector<std::string> words{
      "--kernel",       "triad",      "--problem", "n=2000",     "--budget", "12",
      "--no-staircase", "--counters", "none",      "--builders", "3"};
  user.write("tmp/held", "");
  const pid_t child = start(user, words, environment);
  const auto compilers = [&] {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(user.path("tmp")))
      count += entry.path().filename().string().starts_with("compiler.") ? 1 : 0;
    return count;
  };
  for (int n = 0; n < 600 && compilers() < 3; ++n)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  CHECK(compilers() == 3);
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  INFO(read_text(user.path("log")));
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 130));
  CHECK(gone(user));
  std::filesystem::remove(user.path("tmp/held"));
  const auto tried = [&] {
    const auto records = user.files("results/records", ".jsonl");  // `parts` lie beside the study
    return user.trials(records.at(0).parent_path().filename());
  };
  const std::size_t before = tried().size();
  const Ran again = user.tune(words, environment);
  REQUIRE(again.code == 0);
  Json batch;
  int proposed = 0;
  for (const auto& file : user.files("results/records", ".jsonl")) {
    std::ifstream lines(file);
    for (std::string line; batch.is_null() && std::getline(lines, line);)
      if (const Json event = parse_json(line, "record");
          event.at("event") == "proposed" && ++proposed == 2)
        batch = event.at("body").at("configurations");
  }
  REQUIRE(batch.size() == 6);
  const auto all = tried();
  REQUIRE(all.size() >= before + batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) CHECK(all[before + i] == batch[i]);
}

namespace {

/// A compiler of variants that waits until another one is at work as well, and goes on alone after
/// ten seconds; "together" is there once it was not alone.
std::string waits_for_another(const User& user, const std::string& compiler) {
  return "#!/bin/sh\nat=" + user.path("tmp").string() + "\ncompiler=" + compiler + R"sh(
case "$*" in
*KNOB_*)
  : > $at/at.$$
  tries=0
  while [ ! -e $at/together ] && [ $tries -lt 100 ]; do
    [ "$(ls $at | grep -c '^at\.')" -ge 2 ] && : > $at/together
    sleep 0.1
    tries=$((tries + 1))
  done
  $compiler "$@"
  code=$?
  rm $at/at.$$
  exit $code ;;
esac
exec $compiler "$@"
)sh";
}

}  // namespace

TEST_CASE("a dry run and a study for a card compile several configurations at once") {
  if (!test::nvrtc_for(80)) return;
  const auto compiler = find_program("g++");
  REQUIRE(compiler);
  for (const bool dry : {true, false}) {
    const User user;
    test::write_zero_kernel(user, "zero/");
    user.write("zero/zero.cuda.json", R"({
      "schema": "rooftune-space-1", "kernel": "zero", "backend": "cuda",
      "knobs": [{"name": "block", "kind": "compile", "values": [128, 256], "default": 256,
                 "breaks": ["occupancy"], "doc": "threads per block"},
                {"name": "items", "kind": "compile", "values": [1, 4], "default": 1,
                 "breaks": ["ilp"], "doc": "elements per thread"}]})");
    auto environment = installed(user, "c++", waits_for_another(user, compiler->string()));
    environment["ROOFTUNE_LIBCUDA"] = ROOFTUNE_FAKE_DRIVER;
    std::vector<std::string> words{"--kernel", "./zero", "--machine", "a100", "--builders", "2"};
    if (dry)
      words.emplace_back("--dry-run");
    else
      words.insert(words.end(), {"--budget", "4", "--quiet"});
    const Ran ran = user.tune(words, environment);
    INFO(ran.output);
    CHECK(ran.code == 0);
    CHECK(std::filesystem::exists(user.path("tmp/together")));
  }
}
