// Sweeps and studies as jobs of a real Slurm with three nodes, and workers without any scheduler.
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <set>
#include <thread>

#include "cluster.h"
#include "core/file.h"
#include "rogue.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

const std::vector<std::string> night{"one", "two", "three", "four"}, short_night{"one", "two"};

/// Kernels of two configurations each; the second one of "two" can be held.
void write_night(const User& user, const std::vector<std::string>& names = night) {
  std::string studies;
  for (const std::string& name : names) {
    write_rogue(user, name, {"well", name == "two" ? "held" : "print"});
    studies += (studies.empty() ? "" : ", ") + (R"({"kernel": "./)" + name + "\"}");
  }
  user.write("plan.json", R"({"schema": "rooftune-sweep-1", "name": "night",
    "defaults": {"budget": 2, "strategy": "exhaustive", "staircase": false, "anchors": false}, "studies": [)" +
                              studies + "]}");
}

int end_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// What a table of a sweep says that does not depend on the time: study, state, why it stopped.
std::set<std::string> table(const std::string& output) {
  std::set<std::string> lines;
  std::istringstream text(output);
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string study, state, word, last;
    words >> study >> state;
    while (words >> word) last = word;
    if (std::find(night.begin(), night.end(), study) != night.end())
      lines.insert(study + " " + state + " " + last);
  }
  return lines;
}

/// Folder of a kernel's study, and its record files: one for each time that it was begun.
std::pair<std::string, std::size_t> study_of(const User& user, const std::string& kernel) {
  for (const auto& entry : std::filesystem::directory_iterator(user.path("results/records"))) {
    const std::string name = entry.path().filename();
    if (name.starts_with(kernel + "."))
      return {name, user.files("results/records/" + name, ".jsonl").size()};
  }
  return {};
}

/// The process that runs the second of so many shards, which holds "two", by its words.
pid_t worker_of(const User& user, const std::string& shards = "4") {
  const std::string shard = std::string(1, '\0') + "2/" + shards + std::string(1, '\0');
  for (const pid_t process : processes(user)) {
    const std::string words = text_if_readable("/proc/" + std::to_string(process) + "/cmdline");
    if (words.find(std::string("\0worker\0", 8)) != std::string::npos &&
        words.find(shard) != std::string::npos)
      return process;
  }
  return -1;
}

/// Slurm's number of the job that was submitted first.
std::string job_of(const std::string& log) {
  const std::string words = "submitted job ";
  const std::size_t begin = log.find(words);
  if (begin == std::string::npos) return {};
  return log.substr(begin + words.size(), log.find(',', begin) - begin - words.size());
}

/// Settings of a process that speaks to this cluster. Its nodes are one computer, and would take
/// turns.
std::map<std::string, std::string> without_locks(const Cluster& cluster) {
  auto environment = cluster.environment();
  environment["ROOFTUNE_LOCKS"] = "/proc/nowhere";
  return environment;
}

/// False after a minute.
bool wait_until_log_says(const User& user, const std::string& words) {
  for (int look = 0; look < 600;
       ++look, std::this_thread::sleep_for(std::chrono::milliseconds(100)))
    if (text_if_readable(user.path("log")).find(words) != std::string::npos) return true;
  return false;
}

/// The second of two shards as docs/clusters.md has it for GNU parallel.
Ran by_gnu_parallel(const User& user) {
  user.write("nodes", ":\n");
  return {0, output_of(user, {"parallel", "--joblog", "joblog", "--retries", "5", "--jobs", "1",
                              "--sshloginfile", "nodes", "--workdir", ".", ROOFTUNE_TUNE, "worker",
                              "plan.json", "--shard", "{}/2", ":::", "2"})};
}

const std::vector<std::string> on_slurm{"sweep", "plan.json", "--launcher", "slurm"};

/// Says that the test is skipped, and why.
bool no_cluster() {
  const std::string reason = Cluster::missing();
  if (reason.empty()) return false;
  WARN("skipped: " << reason);
  SUCCEED();
  return true;
}

/// A sweep of two studies on a cluster, held in the second.
struct HeldNight {
  HeldNight() {
    write_night(user, short_night);
    hold(user);
    sweep = start(user, on_slurm, without_locks(cluster));
    REQUIRE(wait_until_held(user));
  }
  /// Lets it go on to its end; the log.
  std::string end() {
    let_go(user);
    CHECK(end_of(sweep) == 0);
    const std::string log = text_if_readable(user.path("log"));
    CHECK(table(log).size() == 2);
    return log;
  }

  Cluster cluster;
  const User user;
  pid_t sweep = 0;
};

}  // namespace

TEST_CASE("a sweep on three nodes is the sweep here, with a worker killed in flight done again",
          "[slurm]") {
  if (no_cluster()) return;
  const Cluster cluster;
  const User user, here;
  for (const User* each : {&user, &here}) write_night(*each);
  hold(user);
  const auto environment = without_locks(cluster);
  const pid_t sweep = start(user, on_slurm, environment);
  const Ran local = here.tune({"sweep", "plan.json", "-q"});
  REQUIRE(local.code == 0);
  REQUIRE(wait_until_held(user));
  const pid_t worker = worker_of(user);
  REQUIRE(worker > 0);
  kill(worker, SIGKILL);
  let_go(user);
  CHECK(end_of(sweep) == 0);
  const std::string log = read_text(user.path("log"));
  INFO(log);
  CHECK(log.find("4 of 4 studies are done") != std::string::npos);
  CHECK(log.find(", 1 shard of night studies on host") != std::string::npos);
  CHECK(table(log).size() == 4);
  CHECK(table(log) == table(local.output));
  CHECK(cluster.queue().empty());
  for (const std::string& name : night) {
    const auto [study, begun] = study_of(user, name);
    CHECK(begun == (name == "two" ? 2 : 1));
    CHECK(user.trials(study) == here.trials(study_of(here, name).first));
  }
  CHECK(gone(user));
}

TEST_CASE("a task that runs twice leaves one outcome, and Ctrl-C leaves no job", "[.night]") {
  if (no_cluster()) return;
  const Cluster cluster;
  const User user;
  write_night(user);
  hold(user);
  const auto environment = without_locks(cluster);
  pid_t sweep = start(user, on_slurm, environment);
  bool held = wait_until_held(user);
  INFO(text_if_readable(user.path("log")) << cluster.state());
  REQUIRE(held);
  kill(sweep, SIGINT);
  CHECK(end_of(sweep) == 130);
  CHECK(cluster.queue().empty());
  CHECK(gone(user));
  // --continue goes on; a second copy of its task comes from elsewhere, as after a node that
  // only seemed dead.
  std::filesystem::remove(user.path("tmp/holding"));
  auto again = on_slurm;
  again.emplace_back("--continue");
  sweep = start(user, again, environment);
  held = wait_until_held(user);
  INFO(text_if_readable(user.path("log")) << cluster.state());
  REQUIRE(held);
  std::filesystem::copy(user.path("log"), user.path("log.sweep"));
  const pid_t copy = start(user, {"worker", "plan.json", "--shard", "2/4"});
  let_go(user);
  CHECK(end_of(copy) == 0);
  CHECK(end_of(sweep) == 0);
  CHECK(study_of(user, "two").second == 2);
  CHECK(cluster.queue().empty());
  CHECK(user.files("results/sweeps", ".json").size() == 5);
}

TEST_CASE("a controller that dies costs a sweep nothing", "[.night]") {
  if (no_cluster()) return;
  HeldNight held;
  auto& [cluster, user, sweep] = held;
  // It may know the other job as running, which has ended, or this one as waiting: it saves its
  // state every few seconds.
  cluster.kill_controller();
  CHECK(wait_until_log_says(user, "slurm: does not answer, waiting"));
  cluster.start_controller();
  REQUIRE(cluster.answers());
  const std::string log = held.end();
  INFO(log << cluster.state());
  CHECK(cluster.queue().empty());
  for (const std::string& name : short_night) {
    // What the controller starts a second time finds the study in hand, or its outcome.
    const auto [study, begun] = study_of(user, name);
    CHECK(begun >= 1);
    CHECK(begun <= 2);
    CHECK(user.trials(study).size() == 2);
  }
  CHECK(user.tune({"records", "verify"}).code == 0);
  CHECK(gone(user));
}

TEST_CASE("a node that dies costs a sweep nothing but the trial in flight", "[.night]") {
  if (no_cluster()) return;
  HeldNight held;
  auto& [cluster, user, sweep] = held;
  const std::string node = cluster.node_of(job_of(text_if_readable(user.path("log"))) + "_2");
  REQUIRE_FALSE(node.empty());
  const pid_t worker = worker_of(user, "2");
  REQUIRE(worker > 0);
  cluster.kill_node(node);
  kill(worker, SIGKILL);
  const std::string log = held.end();
  INFO(log << cluster.state());
  for (const std::string& name : short_night) {
    const auto [study, begun] = study_of(user, name);
    CHECK(begun == (name == "two" ? 2 : 1));
    CHECK(user.trials(study).size() == 2);
  }
  CHECK(gone(user));
}

TEST_CASE("a worker that is told to end keeps what it measured and asks to be run again") {
  const User user;
  write_night(user);
  for (const int number : {SIGUSR1, SIGTERM}) {
    hold(user);
    const pid_t worker = start(user, {"worker", "plan.json", "--shard", "2/2"});
    REQUIRE(wait_until_held(user));
    // Slurm asks every process of a job to end, one after the other: no variant has crashed.
    if (number == SIGTERM)
      for (const pid_t process : processes(user))
        if (process != worker) kill(process, SIGTERM);
    kill(worker, number);
    CHECK(end_of(worker) == 75);
    INFO(read_text(user.path("log")));
    CHECK(user.trials(study_of(user, "two").first).size() == 1);
    let_go(user);
  }
  const std::vector<std::string> words{"worker", "plan.json", "--shard", "2/2"};
  Ran ran = find_program("parallel") ? by_gnu_parallel(user) : user.tune(words);
  INFO(ran.output);
  CHECK(ran.code == 0);
  CHECK(ran.says("2 of 2 studies have an outcome"));
  CHECK(user.trials(study_of(user, "two").first).size() == 2);
  CHECK(user.tune({"worker", "plan.json", "--shard", "2/2"}).code == 0);
  CHECK(study_of(user, "four").second == 1);
  // Whoever calls tune sweep gets the rest and the table.
  ran = user.tune({"sweep", "plan.json", "--continue", "-q"});
  CHECK(ran.code == 0);
  CHECK(table(ran.output).size() == 4);
  CHECK(study_of(user, "two").second == 3);
}

TEST_CASE("a worker without a plan, or a cluster without a measured node, says what to do") {
  const User user;
  user.write("plan.json", R"({"schema": "rooftune-sweep-1",
    "studies": [{"kernel": "triad", "machine": "elsewhere"}]})");
  CHECK(user.tune({"worker"}).says("tune worker PLAN.json --shard 1/8"));
  const Ran ran = user.tune(on_slurm);
  CHECK(ran.code != 0);
  CHECK((ran.says("tune probe --machine elsewhere") || ran.says("there is no sbatch")));
}

TEST_CASE("words that are no UTF-8 of compilers and kernels do not end a sweep") {
  const User user;
  const std::string odd = "\xff\xfe gr\xfcn \xed\xa0\x80";
  for (const std::string name : {"odd", "broken"}) write_rogue(user, name, {"well", "print"});
  const std::string source = read_text(user.path("odd/openmp.cpp"));
  user.write("odd/openmp.cpp", "#if KNOB_MODE == KNOB_MODE_PRINT\n#error " + odd + "\n#endif\n" +
                                   "#include <cstdio>\n__attribute__((constructor)) static void "
                                   "speak() { std::fputs(\"\\xff\\xfe\\n\", stderr); }\n" +
                                   source);
  user.write("broken/reference.cpp", "#error " + odd + "\n");
  user.write("plan.json", R"({"schema": "rooftune-sweep-1", "name": "odd", "defaults": {"budget": 2,
    "strategy": "exhaustive"}, "studies": [{"kernel": "./broken"}, {"kernel": "./odd"}]})");
  const Ran ran = user.tune({"sweep", "plan.json", "--json", "out.json"});
  INFO(ran.output);
  CHECK_FALSE(ran.says("internal"));
  const Json summary = read_json(user.path("out.json"));
  CHECK(summary.at("studies")[0].at("state") == "failed");
  CHECK(summary.at("studies")[1].at("state") == "done");
  CHECK(summary.at("studies")[1].at("result").at("trials").at("build_failed") == 1);
  CHECK(user.tune({"records", "verify"}).says("all are sound"));
}
