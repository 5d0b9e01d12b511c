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
Trial trial_of(const char* mode, RunLimits limits = test_limits()) {
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

/// The fastest window is not far shorter than what was wanted.
bool fills_windows(const Measurement& measurement) {
  return measurement.repeats * measurement.best >= 0.25 * test_limits().sample_seconds;
}

/// Whether one of some trials of the mode fills its windows: where nobody counts its calls again,
/// none does. Another program may slow all counts of one trial and none of its samples.
bool fills_windows_once(const char* mode) {
  constexpr int trials = 8;
  for (int i = 0; i < trials; ++i) {
    const Trial trial = trial_of(mode);
    REQUIRE(trial.ok());
    if (fills_windows(*trial.measurement)) return true;
  }
  return false;
}

bool alive(pid_t pid) { return kill(pid, 0) == 0; }

}  // namespace

TEST_CASE("a correct variant is timed") {
  const KernelFolder folder = misbehaving_kernel();
  Bench bench(folder.kernel(), misbehaviours(), test_limits(), {{"n", Value(1000)}});
  const Trial trial = bench.evaluate(bench.space().baseline());
  REQUIRE(trial.ok());
  const Measurement& measurement = *trial.measurement;
  CHECK(measurement.samples.size() >= 3);
  CHECK(measurement.samples.size() <= 101);
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

TEST_CASE("windows are filled, and calls counted again where a variant was slow meanwhile") {
  CHECK(fills_windows_once("correct"));
  CHECK(fills_windows_once("late"));
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

TEST_CASE("accesses beside an array are found, near and far, before and behind") {
  const auto fault = [](const char* mode, Outcome outcome, const std::string& detail) {
    INFO(mode);
    const Trial trial = trial_of(mode);
    CHECK(trial.outcome == outcome);
    CHECK_THAT(trial.detail, StartsWith(detail));
  };
  // 1000 doubles end inside a page: behind them is poison, then what nobody may touch.
  fault("behind", Outcome::wrong_result, "array y: written 16 bytes behind its end by the kernel");
  fault("before", Outcome::crashed, "array y: written 24 bytes before its start");
  fault("far_behind", Outcome::crashed, "array y: written 800000 bytes behind its end");
  fault("read_before", Outcome::crashed, "array x: read 8 bytes before its start");
  fault("read_far", Outcome::crashed, "array x: read 800000 bytes behind its end");
  const Trial poisoned = trial_of("read_behind");
  CHECK(poisoned.outcome == Outcome::wrong_result);
  CHECK_THAT(poisoned.detail, Contains("element 0 of 1000: got") && Contains(", expected 2.5"));
}

TEST_CASE("an array that fills its pages ends at what nobody may touch") {
  const KernelFolder folder = misbehaving_kernel();
  Bench bench(folder.kernel(), misbehaviours(), test_limits(), {{"n", Value(1024)}});
  CHECK(bench.evaluate(bench.with("mode", "read_behind")).detail ==
        "array x: read 0 bytes behind its end");
}

TEST_CASE("a changed input is found") {
  const Trial trial = trial_of("input");
  CHECK(trial.outcome == Outcome::wrong_result);
  CHECK(trial.detail == "array x is read only, but element 5 of 1000 was written");
}

TEST_CASE("right at first means right to the end") {
  for (const char* mode : {"half", "uncleared"}) {
    const Trial trial = trial_of(mode);
    CHECK(trial.outcome == Outcome::wrong_result);
    CHECK_THAT(trial.detail, Contains("timed") && Contains(": array y: element"));
    CHECK_FALSE(trial.measurement);
  }
}

TEST_CASE("who is wrong after a race is named, and there are no rounds") {
  const KernelFolder folder = misbehaving_kernel();
  Bench bench(folder.kernel(), misbehaviours(), test_limits(), {{"n", Value(1000)}});
  const Configuration liar = bench.with("mode", "half_in_race");
  CHECK(bench.evaluate(liar).detail == "");
  const Rounds rounds = bench.evaluator().race({bench.space().baseline(), liar}, {3, 1});
  CHECK(rounds.seconds.empty());
  REQUIRE(rounds.refuted.size() == 1);
  CHECK(rounds.refuted[0].configuration == liar);
  CHECK_THAT(rounds.refuted[0].detail,
             StartsWith("in a race: ") && Contains("timed") && Contains(": array y"));
  CHECK_THAT(rounds.fault, Contains("mode=half_in_race: wrong_result"));
}

TEST_CASE("what a variant does to its process is its own") {
  const KernelFolder folder = misbehaving_kernel();
  Bench bench(folder.kernel(), misbehaviours(), test_limits(), {{"n", Value(1000)}});
  const Configuration sensitive = bench.with("mode", "sensitive");
  for (const char* mode : {"limits", "directory", "file_mask", "rounding", "handler", "pin"}) {
    INFO(mode);
    const Configuration rogue = bench.with("mode", mode);
    CHECK(bench.evaluate(rogue).detail == "");
    CHECK(bench.evaluate(sensitive).detail == "");
    // A race has both in one process, in any order.
    const Rounds rounds = bench.evaluator().race({rogue, sensitive}, {4, 1});
    CHECK(rounds.fault == "");
    CHECK(rounds.seconds.size() == 4);
  }
}

TEST_CASE("a thread that computes on is the fault of who left it") {
  const Trial trial = trial_of("spin");
  CHECK(trial.outcome == Outcome::crashed);
  CHECK(trial.detail == "a thread of it still computes after the kernel has returned");
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
  const Trial trial = trial_of("hang", hanging_limits());
  CHECK(trial.outcome == Outcome::timed_out);
  CHECK(trial.detail == "no end within 3 s in the first call");
}

TEST_CASE("with an incumbent the deadline is nearer") {
  const KernelFolder folder = misbehaving_kernel();
  Bench bench(folder.kernel(), misbehaviours(), hanging_limits(), {{"n", Value(1000)}});
  const Trial trial = bench.evaluate(bench.with("mode", "hang"), 1e-6);
  CHECK(trial.outcome == Outcome::timed_out);
  CHECK_THAT(trial.detail, StartsWith("no end within 1 s in the first call (the best needs 1"));
}

TEST_CASE("fifty megabytes of output neither block, nor fill the disk, nor spoil the trial") {
  const KernelFolder folder = misbehaving_kernel();
  Bench bench(folder.kernel(), misbehaviours(), test_limits(), {{"n", Value(1000)}});
  const Trial trial = bench.evaluate(bench.with("mode", "print"));
  CHECK(trial.ok());
  for (const auto& entry : std::filesystem::directory_iterator(bench.scratch()))
    if (entry.path().extension() == ".log") CHECK(entry.file_size() <= 1u << 20);
}

TEST_CASE("a variant that takes all memory is stopped at the limit") {
  RunLimits limits = test_limits();
  limits.memory_bytes = std::size_t{600} << 20;
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

TEST_CASE("where the baseline runs no more, no variant is to blame") {
  const KernelFolder folder = misbehaving_kernel();
  const auto code = [](Bench& bench, const Configuration& configuration) {
    try {
      bench.evaluate(configuration);
    } catch (const Error& error) {
      CHECK_THAT(error.hint(), Contains("the same command goes on"));
      return error.code();
    }
    return ExitCode::ok;
  };
  Bench bench(folder.kernel(), misbehaviours(), test_limits(), {{"n", Value(1000)}});
  REQUIRE(bench.evaluate(bench.space().baseline()).ok());
  // Files of the study are made again.
  std::filesystem::remove_all(bench.scratch() / "reference");
  CHECK(bench.evaluate(bench.with("mode", "late")).outcome == Outcome::crashed);
  CHECK(bench.evaluate(bench.space().baseline()).ok());
  Json knobs = parse_json(misbehaviours(), "knobs");
  knobs[0]["default"] = "kill_itself";
  Bench killed(folder.kernel(), knobs.dump(), test_limits(), {{"n", Value(1000)}});
  CHECK(code(killed, killed.space().baseline()) == ExitCode::unavailable);
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
  Bench bench(folder.kernel(), misbehaviours(), test_limits(), {{"n", Value(1000)}});
  const Trial trial = bench.evaluate(bench.with("mode", "fork"));
  CHECK(trial.outcome == Outcome::crashed);
  pid_t runaway = 0;
  REQUIRE(std::ifstream(folder.path() / "openmp.cpp.pid") >> runaway);
  CHECK_FALSE(alive(runaway));
}

TEST_CASE("a worker killed from outside costs no trial") {
  const KernelFolder folder = misbehaving_kernel();
  Bench bench(folder.kernel(), misbehaviours(), test_limits(), {{"n", Value(1000)}});
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

TEST_CASE("what detached itself from everything ends with its trial") {
  const auto sleepers = [] {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::string words;  // none where the process ends meanwhile
      std::getline(std::ifstream(entry.path() / "cmdline"), words, '\n');
      count += words.find(std::string("sleep\0004711", 10)) != std::string::npos ? 1 : 0;
    }
    return count;
  };
  CHECK(trial_of("daemon").detail == "");
  CHECK(sleepers() == 0);
}

TEST_CASE("no process stays when an evaluator goes") {
  {
    const KernelFolder folder = misbehaving_kernel();
    Bench bench(folder.kernel(), misbehaviours(), test_limits(), {{"n", Value(1000)}});
    bench.evaluate(bench.space().baseline());
    bench.evaluate(bench.with("mode", "segfault"));
  }
  // Only the guard is left.
  CHECK(children(getpid()).size() == 1);
}

TEST_CASE("the working directory of a variant is an empty folder that ends with its trial") {
  const auto entries = [] { return std::distance(std::filesystem::directory_iterator("."), {}); };
  const KernelFolder folder = misbehaving_kernel();
  folder.write("openmp.cpp", R"(
#include <cstdint>
#include <filesystem>
#include <fstream>
namespace fs = std::filesystem;
void scale(std::int64_t n, double s, const double* x, double* y) {
  static const bool was_empty = fs::is_empty(".");
  if (KNOB_MODE == 0) std::ofstream("dump.txt") << n;
  static bool removed = KNOB_MODE != 1;
  if (!removed) for (const auto& one : fs::directory_iterator(".")) fs::remove_all(one);
  removed = true;
  for (std::int64_t i = 0; i < n; ++i) y[i] = was_empty ? s * x[i] : 0;
}
)");
  const auto before = entries();
  REQUIRE(before > 0);
  Bench bench(folder.kernel(),
              R"([{"name": "mode", "kind": "compile", "values": [0, 1, 2], "breaks": ["work"]}])",
              test_limits(), {{"n", Value(1000)}});
  for (const int mode : {0, 1, 2}) {
    const Trial trial = bench.evaluate(bench.with("mode", Value(mode)));
    CAPTURE(mode, trial.detail);
    CHECK(trial.ok());
    CHECK(trial.detail == (mode == 0 ? "leaves files in the working directory: dump.txt" : ""));
    CHECK(entries() == before);
  }
}

TEST_CASE("who is rarely wrong is found where it wins a race") {
  const KernelFolder folder = misbehaving_kernel();
  folder.write("openmp.cpp", R"(
#include <dlfcn.h>
#include <cstdint>
#include <cstring>
// In a race a variant is loaded from a copy of its own.
static bool in_race() {
  Dl_info self;
  return dladdr(reinterpret_cast<void*>(&in_race), &self) && std::strstr(self.dli_fname, "/race/");
}
void scale(std::int64_t n, double s, const double* x, double* y) {
  static const bool lies = KNOB_REPEATS == 1 && in_race();
  static int calls = 0;
  for (int k = 0; k < KNOB_REPEATS; ++k) {
    for (std::int64_t i = 0; i < n; ++i) y[i] = s * x[i];
    asm volatile("" ::: "memory");
  }
  if (lies && ++calls % 97 == 0) y[n / 2] = 0;
}
)");
  Bench bench(folder.kernel(),
              R"([{"name": "repeats", "kind": "compile", "values": [50, 1], "breaks": ["work"]}])",
              test_limits(), {{"n", Value(1000)}});
  const Configuration liar = bench.with("repeats", Value(1));
  const Rounds rounds = bench.evaluator().race({bench.space().baseline(), liar}, {20, 1});
  INFO(rounds.fault);
  CHECK(rounds.seconds.empty());
  REQUIRE(rounds.refuted.size() == 1);
  CHECK(rounds.refuted[0].configuration == liar);
  CHECK_THAT(rounds.refuted[0].detail, StartsWith("in a race: between timed calls: array y"));
}
