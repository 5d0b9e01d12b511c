// Two tunes side by side on a machine that they share.
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "core/file.h"
#include "os/file_lock.h"
#include "os/topology.h"
#include "rogue.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

std::vector<std::string> beside(const std::string& kernel, const std::string& threads) {
  return {"--kernel", kernel, "--threads",  threads,     "--share-machine",
          "--budget", "2",    "--strategy", "exhaustive"};
}

/// "cpu1" of "note: times on cpu1, beside others".
std::string core_in(const std::string& output) {
  const std::string words = "note: times on ";
  const std::size_t begin = output.find(words);
  if (begin == std::string::npos) return {};
  return output.substr(begin + words.size(), output.find(',', begin) - begin - words.size());
}

std::vector<int> cpus_of(pid_t process) {
  std::istringstream lines(text_if_readable("/proc/" + std::to_string(process) + "/status"));
  std::vector<int> cpus;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("Cpus_allowed_list:"))
      cpus.push_back(std::stoi(line.substr(line.find_first_of("0123456789"))));
  return cpus;
}

}  // namespace

TEST_CASE("two tunes share a machine on cores of their own, and as studies of their own") {
  if (topology().cores < 2) {
    WARN("skipped: there is one core");
    return;
  }
  const User user;
  write_rogue(user, "first", {"well", "held"});
  write_rogue(user, "second", {"well", "print"});
  hold(user);
  const pid_t first = start(user, beside("./first", "1"));
  REQUIRE(wait_until_held(user));
  const Ran second = user.tune(beside("./second", "1"));
  INFO(second.output);
  CHECK(second.code == 0);
  const std::string core = core_in(text_if_readable(user.path("log")));
  REQUIRE_FALSE(core.empty());
  REQUIRE_FALSE(core_in(second.output).empty());
  CHECK(core_in(second.output) != core);
  CHECK(core_names(cpus_of(first)) == std::vector<std::string>{core});
  // Too few are free for more, and a tune of the whole machine waits its turn.
  const Ran all = user.tune(beside("./second", std::to_string(topology().cores)));
  CHECK(all.code == 75);
  CHECK(all.says("cores are free: timing on " + core + " is being run by process"));
  CHECK(user.tune({"--kernel", "./second", "--threads", "1", "--budget", "2"}).code == 75);
  let_go(user);
  int status = 0;
  waitpid(first, &status, 0);
  CHECK(status == 0);
  // The same threads with the machine to themselves are another study, of another series.
  CHECK(user.tune({"--kernel", "./second", "--threads", "1", "--budget", "2"}).code == 0);
  std::set<std::string> machines;
  for (const auto& file : user.files("results/records", ".jsonl")) {
    const std::string text = read_text(file);
    machines.insert(
        parse_json(text.substr(0, text.find('\n')), file.string()).at("body").at("machine_id"));
  }
  CHECK(machines.size() == 2);
  CHECK(machines.contains("imagined"));
}
