// One study on three nodes: of a real Slurm, with one node killed, and of programs that stand in
// for it.
#include <catch2/catch.hpp>
#include <functional>
#include <set>
#include <sstream>
#include <thread>

#include "cluster.h"
#include "core/file.h"
#include "rogue.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

/// A kernel y = 2 x that sleeps, longest far from x = 7. While there is a file `held` in $TMPDIR,
/// node n3 never ends a call of another configuration than the baseline, and writes `holding`; the
/// others take their time.
void write_sleeper(const User& user) {
  write_rogue(user, "sleeper", {"well"});
  user.write("sleeper/openmp.cpp", R"(#include <unistd.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
static void hold() {
  const char *node = std::getenv("SLURMD_NODENAME"), *folder = std::getenv("TMPDIR");
  if (!node || !folder) return;
  char held[4096], holding[4096];
  std::snprintf(held, sizeof held, "%s/held", folder);
  std::snprintf(holding, sizeof holding, "%s/holding", folder);
  if (access(held, F_OK) != 0) return;
  if (std::strcmp(node, "n3") != 0) return (void)::usleep(300000);
  if (std::FILE* file = std::fopen(holding, "w")) std::fclose(file);
  while (access(held, F_OK) == 0) ::usleep(1000);
}
void sleeper(std::int64_t n, const double* x, double* y, std::int64_t place) {
  static bool first = true;
  if (first && place != 0) hold();
  first = false;
  for (std::int64_t i = 0; i < n; ++i) y[i] = 2 * x[i];
  ::usleep(useconds_t(500 + 300 * std::labs(long(place) - 7)));
}
)");
  Json manifest = read_json(user.path("sleeper/kernel.json"));
  manifest["arguments"].push_back({{"name", "place"}, {"type", "int64"}, {"value", "place"}});
  user.write("sleeper/kernel.json", manifest.dump(1));
  user.write("sleeper/reference.cpp", R"(#include <cstdint>
void sleeper(std::int64_t n, const double* x, double* y, std::int64_t) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = 2 * x[i];
}
)");
  Json space = read_json(user.path("sleeper/sleeper.openmp.json"));
  Json places = Json::array();
  for (int place = 0; place < 100; ++place) places.push_back(place);
  space["knobs"] = Json::array({{{"name", "place"},
                                 {"kind", "argument"},
                                 {"values", places},
                                 {"default", 0},
                                 {"breaks", {"work"}},
                                 {"doc", "where it sleeps"}}});
  user.write("sleeper/sleeper.openmp.json", space.dump(1));
}

const std::vector<std::string> on_three{
    "--kernel",   "./sleeper",  "--threads",  "1",    "--no-staircase", "--no-anchors",
    "--strategy", "exhaustive", "--counters", "none", "--nodes",        "3"};

/// What a node of an allocation has, and programs in the place of Slurm's, whose nodes are
/// processes. `srun` is called with its options and the program; `there` comes before it.
std::map<std::string, std::string> allocation(const User& user, const std::string& there = "") {
  installed(user, "scontrol", "#!/bin/sh\nprintf 'n1\\nn2\\nn3\\n'\n");
  auto environment = installed(user, "srun", R"(#!/bin/sh
while [ "${1#--}" != "$1" ]; do
  case $1 in --nodelist=*) SLURMD_NODENAME=${1#*=} ;; esac
  shift
done
export SLURMD_NODENAME
)" + there + "\nexec \"$@\"\n");
  environment["SLURM_JOB_NODELIST"] = "n[1-3]";
  environment["SLURMD_NODENAME"] = "n1";
  // The nodes are one computer, and would take turns.
  environment["ROOFTUNE_LOCKS"] = "/proc/nowhere";
  return environment;
}

std::vector<std::string> three_with(const std::vector<std::string>& more) {
  std::vector<std::string> words = on_three;
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The trials of the only study by the node that ran them; "" is the node that races.
std::map<std::string, std::set<std::string>> trials_by_node(const User& user) {
  std::map<std::string, std::set<std::string>> all;
  for (const auto& file : user.files("results/records", ".jsonl")) {
    std::istringstream lines(read_text(file));
    for (std::string line; std::getline(lines, line);) {
      const Json event = parse_json(line, file.string());
      if (event.at("event") != "trial") continue;
      const Json& trial = event.at("body");
      CHECK(all[trial.value("node", "")].insert(trial.at("configuration").dump()).second);
    }
  }
  return all;
}

std::size_t sum(const std::map<std::string, std::set<std::string>>& trials) {
  std::set<std::string> all;
  std::size_t count = 0;
  for (const auto& [node, some] : trials) {
    all.insert(some.begin(), some.end());
    count += some.size();
  }
  CHECK(all.size() == count);
  return count;
}

/// Words on one line, as they were before they were wrapped.
std::string unwrapped(const std::string& text) {
  std::string line, word;
  for (std::istringstream words(text); words >> word;) line += word + ' ';
  return line;
}

bool wait_for(const std::function<bool()>& happens) {
  for (int n = 0; n < 1200; ++n, std::this_thread::sleep_for(std::chrono::milliseconds(100)))
    if (happens()) return true;
  return false;
}

}  // namespace

TEST_CASE("three nodes share the trials of a study, and one of them races") {
  const User user;
  write_sleeper(user);
  const Ran ran = user.tune(three_with({"--json", "out.json"}), allocation(user));
  INFO(ran.output);
  REQUIRE(ran.code == 0);
  CHECK(ran.says("node n2 tries configurations of this study too"));
  CHECK(unwrapped(ran.output).find("raced on n1") != std::string::npos);
  const auto trials = trials_by_node(user);
  CHECK(sum(trials) == 100);
  const Json result = read_json(user.path("out.json"));
  CHECK(result.at("nodes").size() == 3);
  CHECK(result.at("best").at("configuration").at("place").get<int>() >= 5);
  CHECK(result.at("best").at("configuration").at("place").get<int>() <= 9);
  CHECK(user.tune({"records", "verify"}).code == 0);
  CHECK(gone(user));
  // The same command goes on, here on one node, and has nothing left to do.
  auto alone = on_three;
  alone.resize(alone.size() - 2);
  CHECK(user.tune(alone).says("100 trials are on record"));
}

TEST_CASE("a node with other software, that is not there, or that dies is left out by name") {
  const User user;
  write_sleeper(user);
  const auto environment = allocation(user, R"(case $SLURMD_NODENAME in
n2) echo "srun: error: Unable to create step: node n2 is drained" >&2; exit 1 ;;
n3) export CXXFLAGS="$CXXFLAGS -DOTHER"; export ROOFTUNE_MACHINES=/nowhere ;;
esac
)");
  const Ran ran = user.tune(three_with({"--budget", "20"}), environment);
  INFO(ran.output);
  CHECK(ran.code == 0);
  CHECK(ran.says("node n2 is left out: exit code 1: srun: error: Unable to create step"));
  CHECK(ran.says("node n3 is left out: "));
  CHECK(unwrapped(ran.output).find("trials on 1 node of class") != std::string::npos);
  CHECK(sum(trials_by_node(user)) == 20);
}

TEST_CASE("several nodes without an allocation, or with a smaller one: it says how to get them") {
  const User user;
  write_sleeper(user);
  Ran ran = user.tune(on_three, {{"SLURM_JOB_NODELIST", ""}});
  CHECK(ran.code == 3);
  CHECK(ran.says("--nodes 3: this is not a node of an allocation of Slurm"));
  CHECK(ran.says("sbatch --nodes=3 --no-kill"));
  auto four = on_three;
  four.back() = "4";
  ran = user.tune(four, allocation(user));
  CHECK(ran.code == 3);
  CHECK(ran.says("the allocation has 3 nodes: n[1-3]"));
  four.back() = "0";
  ran = user.tune(four);
  CHECK(ran.code == 2);
  CHECK(ran.says("--nodes: must be 1 to 1000"));
}

TEST_CASE("a study on three nodes of Slurm goes on when one of them dies", "[slurm]") {
  if (const std::string reason = Cluster::missing(); !reason.empty()) {
    WARN("skipped: " << reason);
    SUCCEED();
    return;
  }
  Cluster cluster;
  const User user;
  write_sleeper(user);
  hold(user);
  std::string script = "#!/bin/sh\nexec '" ROOFTUNE_TUNE "'";
  for (const std::string& word : on_three) script += " " + word;
  user.write("job.sh", script + "\n");
  auto environment = cluster.environment();
  for (const auto& [name, value] : user.environment()) environment[name] = value;
  environment["ROOFTUNE_LOCKS"] = "/proc/nowhere";
  const std::string job = output_of(user,
                                    {"sbatch", "--parsable", "--nodes=3", "--no-kill",
                                     "--exclusive", "--output=log", "--no-requeue", "job.sh"},
                                    environment);
  const auto log = [&] { return text_if_readable(user.path("log")); };
  const bool held = wait_until_held(user);
  INFO(log() << cluster.state());
  REQUIRE(held);
  cluster.kill_node("n3");
  CHECK(wait_for([&] { return log().find("node n3 is lost") != std::string::npos; }));
  let_go(user);
  CHECK(wait_for([&] { return cluster.queue().empty(); }));
  INFO(log() << cluster.state());
  CHECK(unwrapped(log()).find("raced on n1; n3 was lost") != std::string::npos);
  const auto trials = trials_by_node(user);
  CHECK(sum(trials) == 100);
  CHECK(trials.contains("n2"));
  CHECK(user.tune({"records", "verify"}).code == 0);
  CHECK(gone(user));
}
