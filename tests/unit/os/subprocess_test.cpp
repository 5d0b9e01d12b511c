// Children: how they end, what they print, and that nothing of theirs stays.
#include "os/subprocess.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <thread>

#include "core/error.h"
#include "core/file.h"
#include "os/process_tree.h"
#include "os/temporary_directory.h"

using namespace rooftune;
using std::chrono::milliseconds;

namespace {

Command shell(const std::string& script, milliseconds limit = milliseconds(20'000)) {
  Command command;
  command.argv = {"sh", "-c", script};
  command.limit = limit;
  return command;
}

bool alive(pid_t pid) { return kill(pid, 0) == 0; }

/// True when the process is gone within a generous time; reaps it when it became our child.
bool goes(pid_t pid) {
  for (int i = 0; i < 2000 && alive(pid); ++i) {
    waitpid(pid, nullptr, WNOHANG);
    std::this_thread::sleep_for(milliseconds(5));
  }
  return !alive(pid);
}

/// The number that a script wrote to a file, once it is there.
pid_t pid_in(const std::filesystem::path& file) {
  for (int i = 0; i < 2000; ++i) {
    pid_t pid = 0;
    if (std::ifstream(file) >> pid && pid > 0) return pid;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return 0;
}

}  // namespace

TEST_CASE("a command reads its input, and may leave it unread") {
  Command counts = shell("wc -c");
  // More than a pipe holds.
  counts.input = std::string(1 << 20, 'x');
  CHECK(execute(counts).output.find("1048576") != std::string::npos);
  Command deaf = shell("exit 4");
  deaf.input = counts.input;
  CHECK(execute(deaf).status.code == 4);
}

TEST_CASE("a command gives its exit code and both its outputs") {
  const Finished finished = execute(shell("echo out; echo err >&2; exit 3"));
  CHECK(finished.status.code == 3);
  CHECK_FALSE(finished.status.ok());
  CHECK(finished.status.text() == "exit code 3");
  CHECK(finished.output == "out\nerr\n");
}

TEST_CASE("a command sees the added environment and its directory, and no input") {
  const TemporaryDirectory folder;
  Command command = shell("echo \"$ROOFTUNE_TEST_WORD\"; pwd; cat");
  command.environment["ROOFTUNE_TEST_WORD"] = "two words";
  command.directory = folder.path();
  CHECK(execute(command).output == "two words\n" + folder.path().string() + "\n");
}

TEST_CASE("arguments never pass through a shell") {
  Command command;
  command.argv = {"printf", "%s|", "a b", "$HOME", "`id`", ";", "*"};
  CHECK(execute(command).output == "a b|$HOME|`id`|;|*|");
}

TEST_CASE("a signal is named") {
  const Finished finished = execute(shell("kill -SEGV $$"));
  CHECK(finished.status.signal == SIGSEGV);
  CHECK(finished.status.text() == "killed by SIGSEGV (invalid memory access)");
}

TEST_CASE("core files are switched off in children") {
  CHECK(execute(shell("ulimit -c")).output == "0\n");
}

TEST_CASE("no descriptor of ours reaches a child") {
  const int leaky = open("/dev/null", O_RDONLY);
  REQUIRE(leaky >= 0);
  Command command;
  command.argv = {"ls", "/proc/self/fd"};
  // 0, 1, 2 and the directory that ls reads.
  CHECK(execute(command).output == "0\n1\n2\n3\n");
  close(leaky);
}

TEST_CASE("a program that is not there is an error") {
  Command command;
  command.argv = {"no-such-program-of-rooftune"};
  CHECK_THROWS_AS(execute(command), Error);
  CHECK_FALSE(find_program("no-such-program-of-rooftune"));
  CHECK(find_program("sh"));
  CHECK_FALSE(find_program(""));
}

TEST_CASE("a command over its limit is killed with everything that it started") {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "pid";
  const Finished finished =
      execute(shell("sh -c 'echo $$ > " + file.string() + "; exec sleep 1000'", milliseconds(500)));
  CHECK(finished.status.timed_out);
  CHECK(finished.status.text() == "killed at its deadline");
  const pid_t pid = pid_in(file);
  REQUIRE(pid > 0);
  CHECK_FALSE(alive(pid));
}

TEST_CASE("a runaway in its own session is killed and reaped") {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "pid";
  const Finished finished = execute(shell("setsid sh -c 'echo $$ > " + file.string() +
                                          "; exec sleep 1000' & while [ ! -s " + file.string() +
                                          " ]; do sleep 0.01; done"));
  CHECK(finished.status.ok());
  const pid_t pid = pid_in(file);
  REQUIRE(pid > 0);
  CHECK_FALSE(alive(pid));
}

TEST_CASE("a child of somebody else is left alone") {
  const pid_t other = fork();
  if (other == 0) {
    execlp("sleep", "sleep", "1000", nullptr);
    _exit(1);
  }
  execute(shell("true"));
  CHECK(alive(other));
  CHECK(waitpid(other, nullptr, WNOHANG) == 0);
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
}

TEST_CASE("megabytes of output neither block nor are kept") {
  const Finished finished = execute(shell("yes | head -c 50000000"));
  CHECK(finished.status.ok());
  CHECK(finished.output.size() == 64u << 10);
}

TEST_CASE("of a long output the end can be kept, as much as is wanted") {
  Command command = shell("yes | head -c 50000000; echo the end");
  command.kept_output = 1000;
  command.keeps_end = true;
  const Finished finished = execute(command);
  CHECK(finished.output.size() >= 1000);
  CHECK(finished.output.size() <= 2000);
  CHECK(finished.output.ends_with("y\nthe end\n"));
  CHECK(execute(shell("sleep 0.1")).seconds >= 0.1);
}

TEST_CASE("a child answers over its own descriptors") {
  Child child(shell("while read line <&3; do echo noise; echo \"got $line\" >&4; done"));
  for (const char* word : {"one", "two"}) {
    REQUIRE(child.send(word));
    const auto reply = child.receive(milliseconds(20'000));
    REQUIRE(reply.event == Child::Event::line);
    CHECK(reply.line == std::string("got ") + word);
  }
  child.kill();
  CHECK(child.output() == "noise\nnoise\n");
}

TEST_CASE("lines before the end of a child are all delivered") {
  Child child(shell("echo a >&4; echo b >&4; exit 7"));
  CHECK(child.receive(milliseconds(20'000)).line == "a");
  CHECK(child.receive(milliseconds(20'000)).line == "b");
  CHECK(child.receive(milliseconds(20'000)).event == Child::Event::ended);
  CHECK(child.kill().code == 7);
  CHECK(child.kill().code == 7);
  CHECK(child.receive(milliseconds(1)).event == Child::Event::ended);
  CHECK_FALSE(child.send("anybody?"));
}

TEST_CASE("a child that closes everything but lives on meets its deadline") {
  Child child(shell("exec 0<&- 1>&- 2>&- 3<&- 4>&-; sleep 1000"));
  CHECK(child.receive(milliseconds(300)).event == Child::Event::timed_out);
  const ExitStatus status = child.kill();
  CHECK(status.timed_out);
  CHECK(status.signal == SIGKILL);
}

TEST_CASE("time in which nothing ran is no part of a deadline") {
  const pid_t owner = fork();
  if (owner == 0) {
    Child child(shell("sleep 1; echo done >&4"));
    _exit(child.receive(milliseconds(2500)).event == Child::Event::line ? 0 : 1);
  }
  std::this_thread::sleep_for(milliseconds(300));
  // As a suspended job: all of it, from the top to the leaves.
  std::vector<pid_t> job{owner};
  for (std::size_t i = 0; i < job.size(); ++i) {
    kill(job[i], SIGSTOP);
    for (const pid_t child : children(job[i])) job.push_back(child);
  }
  std::this_thread::sleep_for(milliseconds(4000));
  for (auto one = job.rbegin(); one != job.rend(); ++one) kill(*one, SIGCONT);
  int status = 0;
  waitpid(owner, &status, 0);
  CHECK(exit_status(status).code == 0);
}

TEST_CASE("what a command detached from everything ends with it") {
  const TemporaryDirectory folder;
  Command command =
      shell("env -i setsid sh -c 'echo $$ > pid; sleep 1000' & sleep 1000", milliseconds(1000));
  command.directory = folder.path();
  CHECK(execute(command).status.timed_out);
  CHECK(goes(pid_in(folder.path() / "pid")));
}

TEST_CASE("a child that prints for ever meets its deadline, and its output its cap") {
  Command command = shell("yes");
  command.kept_output = 5000;
  command.keeps_end = true;
  Child child(command);
  CHECK(child.receive(milliseconds(500)).event == Child::Event::timed_out);
  child.kill();
  CHECK(child.output().size() <= 10'000);
  CHECK(child.output().ends_with("y\ny\n"));
}

TEST_CASE("a reply without end is no reply") {
  Child child(shell("yes | tr -d '\\n' >&4"));
  CHECK(child.receive(milliseconds(60'000)).event == Child::Event::ended);
}

TEST_CASE("memory of the whole group counts") {
  // tail keeps its input in memory while it looks for the last line.
  Command command = shell("sh -c 'tail -n 1 /dev/zero'");
  command.bounds.memory = std::size_t{100} << 20;
  Child child(command);
  const auto reply = child.receive(milliseconds(60'000));
  CHECK(reply.event == Child::Event::over_bounds);
  CHECK(reply.line == "more than 100 MiB of memory");
}

TEST_CASE("the end of a Child object ends its process and its runaways") {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "pid";
  pid_t pid = 0, runaway = 0;
  {
    const Child child(
        shell("setsid sh -c 'echo $$ > " + file.string() + "; exec sleep 1000' & sleep 1000"));
    pid = child.pid();
    runaway = pid_in(file);
    REQUIRE(runaway > 0);
    CHECK(alive(runaway));
  }
  CHECK_FALSE(alive(pid));
  CHECK_FALSE(alive(runaway));
  CHECK(children(pid).empty());
}

TEST_CASE("kill -9 of the owner leaves no orphan, not even one in its own session") {
  const TemporaryDirectory folder;
  const auto plain = folder.path() / "plain", session = folder.path() / "session";
  const auto owned = folder.path() / "owned";
  // Orphans come to us, so that they do not wait as zombies for somebody else's care.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t owner = fork();
  if (owner == 0) {
    const int out = open(owned.c_str(), O_WRONLY | O_CREAT, 0600);
    dup2(out, 1);
    const std::string script = "sh -c 'echo $$ > " + plain.string() +
                               "; exec sleep 1000' & setsid sh -c 'echo $$ > " + session.string() +
                               "; exec sleep 1000' & sleep 1000";
    execl(ROOFTUNE_CHILD_OWNER, "child_owner", "sh", "-c", script.c_str(), nullptr);
    _exit(1);
  }
  const pid_t child = pid_in(owned), grandchild = pid_in(plain), runaway = pid_in(session);
  REQUIRE((child > 0 && grandchild > 0 && runaway > 0));
  kill(owner, SIGKILL);
  waitpid(owner, nullptr, 0);
  CHECK(goes(child));
  CHECK(goes(grandchild));
  CHECK(goes(runaway));
  // The owner's guard came to us as well; it ends when it has seen that nothing is left.
  for (int i = 0; i < 200 && waitpid(-1, nullptr, WNOHANG) >= 0; ++i)
    std::this_thread::sleep_for(milliseconds(5));
}
