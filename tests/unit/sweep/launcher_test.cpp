// The launcher against commands that play Slurm: what a real one shows only after minutes or hours.
#include "sweep/launcher.h"

#include <catch2/catch.hpp>
#include <cstdlib>

#include "core/file.h"
#include "os/temporary_directory.h"
#include "support/environment_variable.h"

using namespace rooftune;

namespace {

/// sbatch runs the tasks at once and notes its words in `calls`, squeue prints `queue` and then
/// what `next` holds, scancel empties the queue.
class PlayedSlurm {
 public:
  explicit PlayedSlurm(std::size_t studies) {
    plan.name = "night";
    plan.key = "0123456789abcdef";
    for (std::size_t i = 1; i <= studies; ++i) {
      plan.studies.emplace_back();
      plan.studies.back().name = "s" + std::to_string(i);
    }
    put("sbatch", R"(echo "$@" >> $HERE/calls
[ ! -e $HERE/refusal ] || { cat $HERE/refusal; exit 1; }
for word; do case $word in --array=*) array=${word#*=};; --job-name=*) name=${word#*=};; esac; done
[ -e $HERE/job ] || printf %s $name > $HERE/job
script=$(cat)
for task in $(echo $array | tr , ' '); do SLURM_ARRAY_TASK_ID=$task sh -c "$script"; done
echo "4711;cluster"
)");
    put("squeue", R"([ ! -e $HERE/silence ] || { rm $HERE/silence; echo "no controller"; exit 1; }
cat $HERE/queue 2> $HERE/nothing
mv $HERE/next $HERE/queue 2> $HERE/nothing || rm -f $HERE/queue
)");
    put("scancel", "echo \"$@\" >> $HERE/cancelled\nrm -f $HERE/queue\n");
    // Finishes the studies of its shard, but for those whose name stands in `broken`: these only at
    // the second time, and those in `dead` never.
    put("tune", R"(while [ $# -gt 1 ]; do
  case $1 in --shard) shard=${2%/*}; of=${2#*/};; --sweep) sweep=$2;; esac; shift
done
echo $shard >> $HERE/ran
n=$shard
while [ $n -le $(cat $HERE/studies) ]; do
  if grep -qx s$n $HERE/dead; then :
  elif grep -qx s$n $HERE/broken; then sed -i "/^s$n$/d" $HERE/broken
  else echo '{"name": "s'$n'", "state": "done", "message": "", "result": null}' > "$sweep/s$n.json"
  fi
  n=$((n + of))
done
)");
    write("studies", std::to_string(studies));
    write("dead", "");
    write("broken", "");
    sweep.plan_file = path("plan.json");
    sweep.results = path("results");
    sweep.directory = open_run(plan, sweep.results);
    sweep.program = path("tune");
    sweep.words = [](const std::string& machine) {
      return std::vector<std::string>{"--partition=of-" + machine};
    };
    sweep.say = [this](const std::string& line) { said += line + "\n"; };
    sweep.wait = [](double) { return 0; };
  }
  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
  void write(const std::string& name, const std::string& text) const {
    write_atomically(path(name), text);
  }
  std::string text(const std::string& name) const { return text_if_readable(path(name)); }
  SweepSummary run() const { return run_on_slurm(plan, sweep); }
  /// Times that sbatch was called with this word.
  int calls(const std::string& word) const {
    const std::string all = text("calls");
    int count = 0;
    for (std::size_t at = all.find(word); at != std::string::npos; at = all.find(word, at + 1))
      ++count;
    return count;
  }
  /// Name of the first array's job.
  std::string job() const { return text("job"); }

  Plan plan;
  ClusterSweep sweep;
  std::string said;

 private:
  void put(const std::string& name, const std::string& script) const {
    write(name, "#!/bin/sh\nHERE='" + folder_.path().string() + "'\n" + script);
    std::filesystem::permissions(path(name), std::filesystem::perms::owner_all);
  }

  TemporaryDirectory folder_;
  testing::EnvironmentVariable path_{"PATH", folder_.path().string() + ":" + std::getenv("PATH")};
};

}  // namespace

TEST_CASE("a sweep on Slurm is one array of shards and ends with a summary") {
  PlayedSlurm slurm(4);
  const SweepSummary summary = slurm.run();
  CHECK(summary.complete());
  REQUIRE(summary.studies.size() == 4);
  CHECK_FALSE(summary.studies[0].earlier);
  CHECK(std::filesystem::exists(summary.directory / "summary.json"));
  CHECK(slurm.calls("--array=1,2,3,4 ") == 1);
  CHECK(slurm.calls("--parsable --requeue --open-mode=append") == 1);
  CHECK(slurm.calls("--signal=B:USR1@60") == 1);
  CHECK(slurm.calls("--partition=of-host") == 1);
  // Who shares the folder could put another script there.
  CHECK(std::filesystem::is_empty(summary.directory / "jobs"));
  CHECK(slurm.said.find("submitted job 4711, 4 shards") != std::string::npos);
  CHECK(slurm.said.find("4 of 4 studies are done") != std::string::npos);
}

TEST_CASE("only shards that are incomplete are submitted again") {
  PlayedSlurm slurm(6);
  slurm.sweep.shards = 3;
  slurm.write("broken", "s2\ns6\n");
  CHECK(slurm.run().complete());
  CHECK(slurm.calls("--array=1,2,3 ") == 1);
  CHECK(slurm.calls("--array=2,3 ") == 1);
  CHECK(slurm.text("ran") == "1\n2\n3\n2\n3\n");
}

TEST_CASE(
    "a shard that never gets on is left after three jobs, with its log, and its run stays open") {
  PlayedSlurm slurm(3);
  slurm.write("dead", "s2\n");
  SweepSummary summary = slurm.run();
  CHECK_FALSE(summary.complete());
  CHECK(summary.studies[0].state == StudyOutcome::State::done);
  CHECK(summary.studies[1].state == StudyOutcome::State::interrupted);
  CHECK(summary.studies[1].message.find("3 jobs ended without an outcome") != std::string::npos);
  CHECK(summary.studies[1].message.find(".2.log") != std::string::npos);
  CHECK(slurm.text("ran") == "1\n2\n3\n2\n2\n");
  CHECK_FALSE(std::filesystem::exists(summary.directory / "summary.json"));
  // The same command again does the rest and nothing else.
  slurm.write("dead", "");
  summary = slurm.run();
  CHECK(summary.complete());
  CHECK(summary.studies[0].earlier);
  CHECK_FALSE(summary.studies[1].earlier);
  CHECK(slurm.text("ran") == "1\n2\n3\n2\n2\n2\n");
}

TEST_CASE("jobs of an earlier call are waited for, and a job that cannot start is replaced") {
  PlayedSlurm slurm(2);
  slurm.write("dead", "s1\ns2\n");
  slurm.run();
  const std::string name = slurm.job(), before = slurm.text("calls");
  slurm.write("dead", "");
  slurm.write("queue", "12|1|RUNNING|None|n1|" + name + "\n12|2|PENDING|Resources||" + name + "\n");
  slurm.write("next", "12|2|PENDING|launch failed requeued held||" + name + "\n");
  CHECK(slurm.run().complete());
  CHECK(slurm.said.find("1 jobs run on n1, 1 wait (Resources)") != std::string::npos);
  CHECK(slurm.text("cancelled") == "12_2\n");
  CHECK(slurm.text("calls").size() > before.size());
}

TEST_CASE(
    "a job that Slurm counts although its studies are done does not keep a node from others") {
  PlayedSlurm slurm(2);
  slurm.write("dead", "s2\n");
  slurm.run();
  slurm.write("dead", "");
  slurm.write("queue", "12|1|RUNNING|None|n1|" + slurm.job() + "\n12|2|PENDING|Resources||" +
                           slurm.job() + "\n");
  slurm.sweep.grace = 0;
  CHECK(slurm.run().complete());
  CHECK(slurm.text("cancelled") == "12_1\n");
  CHECK(slurm.said.find("cancelling job 12_1, whose studies are done") != std::string::npos);
}

TEST_CASE("a controller that is away for a while is waited for") {
  PlayedSlurm slurm(2);
  slurm.write("silence", "");
  CHECK(slurm.run().complete());
  CHECK(slurm.said.find("does not answer, waiting: no controller") != std::string::npos);
  CHECK(slurm.calls("--array") == 1);
}

TEST_CASE("arrays are no longer than Slurm takes") {
  PlayedSlurm slurm(1002);
  slurm.write("refusal", "");
  CHECK_THROWS_AS(slurm.run(), Error);
  std::filesystem::remove(slurm.path("refusal"));
  CHECK(slurm.run().complete());
  CHECK(slurm.calls("--array") == 2);  // the refused one, too
  CHECK(slurm.calls(",999,1000 ") == 2);
  CHECK(slurm.calls("1001") == 0);
}

TEST_CASE("a refusal of Slurm is said in its words") {
  PlayedSlurm slurm(1);
  slurm.write("refusal", "sbatch: error: invalid partition specified: gpu\n");
  try {
    slurm.run();
    FAIL("no Error");
  } catch (const Error& error) {
    CHECK(error.message().find("invalid partition specified: gpu") != std::string::npos);
    CHECK(error.hint().find("\"slurm\"") != std::string::npos);
    CHECK(error.code() == ExitCode::unavailable);
  }
}

TEST_CASE("a plan with a time for one process is refused before a job is submitted") {
  PlayedSlurm slurm(1);
  slurm.plan.total = 60;
  CHECK_THROWS_AS(slurm.run(), Error);
  CHECK(slurm.text("calls").empty());
}

TEST_CASE("without Slurm the launcher says what is missing") {
  const testing::EnvironmentVariable path("PATH", "/nowhere");
  try {
    require_slurm();
    FAIL("no Error");
  } catch (const Error& error) {
    CHECK(error.message().find("sbatch") != std::string::npos);
    CHECK(error.hint().find("login node") != std::string::npos);
  }
}

TEST_CASE("lines of squeue are read") {
  const auto tasks =
      parse_queue("7|12|RUNNING|None|n3|rooftune-x\n8|N/A|PENDING|Priority||one\nslurm: odd\n");
  REQUIRE(tasks.size() == 2);
  CHECK(tasks[0].task == 12);
  CHECK(tasks[0].node == "n3");
  CHECK(tasks[1].task == 0);
  CHECK(tasks[1].name == "one");
}
