// What variants can do wrong, and what a trial says about each; whatever it is, the next one runs.
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <thread>

#include "os/process_tree.h"
#include "support/kernel_folder.h"

using namespace rooftune;
using Catch::Contains;
using Catch::StartsWith;

namespace {

/// The trial of one mode, followed by a correct one that must not suffer from it.
Trial trial_of(const char* mode, RunLimits limits = short_limits()) {
  const KernelFolder folder = misbehaving_kernel();
  Bench bench(folder.kernel(), misbehaviours(), limits, {{"n", Value(1000)}});
  const Trial trial = bench.evaluate(bench.with("mode", mode));
  const Trial next = bench.evaluate(bench.space().baseline());
  CHECK(next.detail == "");
  CHECK(next.outcome == Outcome::ok);
  CHECK_FALSE(trial.artefact.empty());
  CHECK_FALSE(trial.started.empty());
  return trial;
}

/// However busy the machine: the fastest window is not far shorter than what was wanted.
bool fills_windows(const Measurement& measurement) {
  return measurement.repeats * measurement.best >= 0.25 * short_limits().sample_seconds;
}

bool alive(pid_t pid) { return kill(pid, 0) == 0; }

}  // namespace

TEST_CASE("a correct variant is timed") {
  const KernelFolder folder = misbehaving_kernel();
  Bench bench(folder.kernel(), misbehaviours(), short_limits(), {{"n", Value(1000)}});
  const Trial trial = bench.evaluate(bench.space().baseline());
  REQUIRE(trial.ok());
  const Measurement& measurement = *trial.measurement;
  CHECK(measurement.samples.size() >= 3);
  CHECK(measurement.samples.size() <= 101);
  CHECK(fills_windows(measurement));
  CHECK(measurement.seconds.low > 0);
  CHECK(measurement.seconds.low <= measurement.seconds.value);
  CHECK(measurement.seconds.value <= measurement.seconds.high);
  CHECK(measurement.max_error <= 1e-12);
  CHECK(measurement.prepare_seconds == 0);
  CHECK(trial.cost.build > 0);
  CHECK(trial.cost.validate > 0);
  CHECK(trial.cost.time > 0);
  CHECK(trial.cost.total >= trial.cost.build + trial.cost.validate + trial.cost.time);
  const Trial again = bench.evaluate(bench.space().baseline());
  CHECK(again.cost.build == 0);
  CHECK(again.artefact == trial.artefact);
}

TEST_CASE("a variant that is slow while its calls are counted is counted again") {
  const Trial trial = trial_of("late");
  REQUIRE(trial.ok());
  CHECK(fills_windows(*trial.measurement));
}

TEST_CASE("thread-local variables at fixed offsets find room") {
  const Trial trial = trial_of("thread_local");
  CHECK(trial.detail == "");
  CHECK(trial.outcome == Outcome::ok);
}

TEST_CASE("wrong numbers are named with element, value and allowance") {
  const Trial trial = trial_of("wrong");
  CHECK(trial.outcome == Outcome::wrong_result);
  CHECK_FALSE(trial.measurement);
  CHECK(trial.detail ==
        "array y: element 17 of 1000: got 3, expected 45 (error 42, allowed 4.5e-11)");
}

TEST_CASE("neither NaN nor infinity passes for a number") {
  const Trial trial = trial_of("nan");
  CHECK(trial.outcome == Outcome::wrong_result);
  CHECK_THAT(trial.detail, Contains("element 17 of 1000: got nan, expected 45") ||
                               Contains("element 17 of 1000: got -nan, expected 45"));
  const Trial infinite = trial_of("infinite");
  CHECK(infinite.outcome == Outcome::wrong_result);
  CHECK_THAT(infinite.detail, Contains("got inf, expected 45"));
}

TEST_CASE("writes beside an array are found") {
  const Trial behind = trial_of("behind");
  CHECK(behind.outcome == Outcome::wrong_result);
  CHECK_THAT(behind.detail, StartsWith("array y: written 16 bytes behind its end"));
  const Trial before = trial_of("before");
  CHECK(before.outcome == Outcome::wrong_result);
  CHECK(before.detail == "array y: written 24 bytes before its start by the kernel");
#if defined(__SANITIZE_ADDRESS__)
  WARN("skipped: under AddressSanitizer other mappings lie right behind the forbidden page");
#else
  const Trial far = trial_of("far_behind");
  CHECK(far.outcome == Outcome::crashed);
  CHECK_THAT(far.detail, StartsWith("killed by SIGSEGV"));
#endif
}

TEST_CASE("a changed input is found") {
  const Trial trial = trial_of("input");
  CHECK(trial.outcome == Outcome::wrong_result);
  CHECK(trial.detail == "array x is read only, but element 5 of 1000 was changed to -1");
}

TEST_CASE("signals are named with the place") {
  const Trial segfault = trial_of("segfault");
  CHECK(segfault.outcome == Outcome::crashed);
  CHECK(segfault.detail == "killed by SIGSEGV (invalid memory access) in the first call");
  const Trial abort = trial_of("abort");
  CHECK(abort.outcome == Outcome::crashed);
  CHECK_THAT(abort.detail, StartsWith("killed by SIGABRT"));
#if defined(__x86_64__)
  const Trial divide = trial_of("divide");
  CHECK(divide.outcome == Outcome::crashed);
  CHECK_THAT(divide.detail, StartsWith("killed by SIGFPE (integer division by zero"));
  const Trial trap = trial_of("trap");
  CHECK(trap.outcome == Outcome::crashed);
  CHECK_THAT(trap.detail, StartsWith("killed by SIGILL"));
#endif
}

TEST_CASE("a variant that never returns meets its deadline") {
  const Trial trial = trial_of("hang");
  CHECK(trial.outcome == Outcome::timed_out);
  CHECK(trial.detail == "no end within 3 s in the first call");
}

TEST_CASE("with an incumbent the deadline is nearer") {
  const KernelFolder folder = misbehaving_kernel();
  Bench bench(folder.kernel(), misbehaviours(), short_limits(), {{"n", Value(1000)}});
  const Trial trial = bench.evaluate(bench.with("mode", "hang"), 1e-6);
  CHECK(trial.outcome == Outcome::timed_out);
  CHECK_THAT(trial.detail, StartsWith("no end within 1 s in the first call (the best needs 1"));
}

TEST_CASE("fifty megabytes of output neither block, nor fill the disk, nor spoil the trial") {
  const KernelFolder folder = misbehaving_kernel();
  RunLimits limits = short_limits();
  limits.first_call_seconds = 30;
  Bench bench(folder.kernel(), misbehaviours(), limits, {{"n", Value(1000)}});
  const Trial trial = bench.evaluate(bench.with("mode", "print"));
  CHECK(trial.ok());
  for (const auto& entry : std::filesystem::directory_iterator(bench.scratch()))
    if (entry.path().extension() == ".log") CHECK(entry.file_size() <= 1u << 20);
}

TEST_CASE("a variant that takes all memory is stopped at the limit") {
  RunLimits limits = short_limits();
  limits.memory_bytes = std::size_t{600} << 20;
  limits.first_call_seconds = 60;
  const Trial trial = trial_of("eat", limits);
  CHECK(trial.outcome == Outcome::out_of_memory);
  CHECK_THAT(trial.detail, StartsWith("more than ") && Contains("of memory in the first call"));
}

TEST_CASE("std::bad_alloc is lack of memory, other exceptions are crashes") {
  const Trial bad_alloc = trial_of("bad_alloc");
  CHECK(bad_alloc.outcome == Outcome::out_of_memory);
  CHECK(bad_alloc.detail == "std::bad_alloc in the kernel");
  const Trial thrown = trial_of("throw");
  CHECK(thrown.outcome == Outcome::crashed);
  CHECK(thrown.detail == "the kernel threw something that is no std::exception");
}

TEST_CASE("a variant that leaves by exit(0) has not succeeded") {
  const Trial trial = trial_of("exit");
  CHECK(trial.outcome == Outcome::crashed);
  CHECK(trial.detail == "exit code 0 in the first call");
}

TEST_CASE("a variant that kills itself is to blame after a second try") {
  const Trial trial = trial_of("kill_itself");
  CHECK(trial.outcome == Outcome::crashed);
  CHECK_THAT(trial.detail, StartsWith("killed by SIGKILL"));
}

TEST_CASE("a variant cannot answer in the worker's place") {
  const Trial trial = trial_of("reply");
  CHECK(trial.outcome == Outcome::ok);
}

TEST_CASE("a compile error is named as the compiler names it") {
  const Trial trial = trial_of("syntax");
  CHECK(trial.outcome == Outcome::build_failed);
  CHECK_THAT(trial.detail, StartsWith("openmp.cpp:") && Contains("error:"));
  CHECK(trial.cost.build > 0);
  CHECK(trial.cost.time == 0);
}

TEST_CASE("a runaway of a variant in its own session is gone when the trial is over") {
  const KernelFolder folder = misbehaving_kernel();
  Bench bench(folder.kernel(), misbehaviours(), short_limits(), {{"n", Value(1000)}});
  const Trial trial = bench.evaluate(bench.with("mode", "fork"));
  CHECK(trial.outcome == Outcome::crashed);
  pid_t runaway = 0;
  REQUIRE(std::ifstream(folder.path() / "openmp.cpp.pid") >> runaway);
  CHECK_FALSE(alive(runaway));
}

TEST_CASE("a worker killed from outside costs no trial") {
  const KernelFolder folder = misbehaving_kernel();
  RunLimits limits = short_limits();
  limits.first_call_seconds = 2;
  Bench bench(folder.kernel(), misbehaviours(), limits, {{"n", Value(1000)}});
  REQUIRE(bench.evaluate(bench.space().baseline()).ok());
  // The guard is our child as well; the worker is the other one.
  const auto ours = children(getpid());
  pid_t worker = 0;
  for (const pid_t pid : ours)
    if (!children(pid).empty() || resident_bytes(pid) > 0) worker = std::max(worker, pid);
  REQUIRE(worker > 0);
  kill(worker, SIGKILL);
  const Trial trial = bench.evaluate(bench.space().baseline());
  CHECK(trial.ok());
}

TEST_CASE("no process stays when an evaluator goes") {
  {
    const KernelFolder folder = misbehaving_kernel();
    Bench bench(folder.kernel(), misbehaviours(), short_limits(), {{"n", Value(1000)}});
    bench.evaluate(bench.space().baseline());
    bench.evaluate(bench.with("mode", "segfault"));
  }
  // Only the guard is left.
  CHECK(children(getpid()).size() == 1);
}
