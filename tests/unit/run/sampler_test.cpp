// How many calls make a sample, whatever the first ones met: against a clock of the test's own.
#include "run/sampler.h"

#include <sched.h>

#include <catch2/catch.hpp>
#include <ctime>
#include <functional>
#include <future>
#include <latch>
#include <thread>

using namespace rooftune;

namespace {

/// Windows of calls of `seconds` each; the first `disturbed` of them last `longer` [s] more.
struct Clock {
  double seconds, longer = 0;
  int disturbed = 0;
  int windows = 0;
  double operator()(int calls) { return calls * seconds + (++windows <= disturbed ? longer : 0); }
};

}  // namespace

TEST_CASE("calls of microseconds fill the window") {
  Clock clock{1e-6};
  const int repeats = calibrated_repeats(std::ref(clock), 1e-6, 0.001);
  CHECK(repeats >= 1000);
  CHECK(repeats <= 1200);
}

TEST_CASE("a short call whose first times were disturbed still fills its window") {
  // The very first call, before calibration, took 30 times the wanted window, too.
  Clock clock{1e-6, 0.02, 2};
  CHECK(calibrated_repeats(std::ref(clock), 0.03, 0.001) >= 1000);
}

TEST_CASE("a call longer than the window is a sample of its own") {
  Clock clock{0.003};
  CHECK(calibrated_repeats(std::ref(clock), 0.003, 0.001) == 1);
  CHECK(clock.windows == 3);
}

TEST_CASE("long calls are not repeated for their calibration") {
  Clock clock{0.1};
  CHECK(calibrated_repeats(std::ref(clock), 0.1, 0.001) == 1);
  CHECK(clock.windows == 1);
  CHECK(calibrated_repeats(std::ref(clock), 2, 0.001) == 1);
  CHECK(clock.windows == 1);
}

TEST_CASE("a call as long as the very first is believed at once") {
  Clock clock{0.02};
  CHECK(calibrated_repeats(std::ref(clock), 0.021, 0.001) == 1);
  CHECK(clock.windows == 1);
}

TEST_CASE("what is behind the best is left when its time is over, what is near it is not") {
  const Timing timing{0.001, 0.25, 11, 101, 1e-3};
  const auto samples = [](double seconds) { return std::vector<Sample>(4, Sample{seconds, 1, 0}); };
  CHECK(are_enough(samples(1.2e-3), timing, 0.3));
  CHECK_FALSE(are_enough(samples(1.2e-3), timing, 0.2));
  CHECK_FALSE(are_enough(samples(1.05e-3), timing, 0.3));
  CHECK(cannot_win(samples(1.6e-3), timing));
  CHECK_FALSE(cannot_win(samples(1.2e-3), timing));
}

TEST_CASE("a long call is given up after one sample twice as slow, or three a little slower") {
  const Timing timing{0.001, 0.25, 11, 101, 0.1};
  const auto samples = [](size_t count, double seconds) {
    return std::vector<Sample>(count, Sample{seconds, 1, 0});
  };
  CHECK(are_enough(samples(1, 0.21), timing, 0));
  CHECK_FALSE(are_enough(samples(1, 0.19), timing, 0));
  CHECK(are_enough(samples(3, 0.104), timing, 0));
  CHECK_FALSE(are_enough(samples(2, 0.104), timing, 0));
  CHECK_FALSE(are_enough(samples(3, 0.102), timing, 0));
}

TEST_CASE("on a card five steady samples behind the best are enough") {
  const Timing timing{0.001, 0.25, 11, 101, 0.1};
  const auto samples = [](std::size_t many, double seconds) {
    return std::vector<Sample>(many, Sample{seconds, 1, 0});
  };
  CHECK(are_enough_on_card(samples(5, 0.12), timing, 0.02));
  CHECK_FALSE(are_enough_on_card(samples(4, 0.12), timing, 0.02));
  CHECK_FALSE(are_enough_on_card(samples(5, 0.105), timing, 0.02));
  auto unsteady = samples(5, 0.12);
  unsteady.back().seconds = 0.13;
  CHECK_FALSE(are_enough_on_card(unsteady, timing, 0.02));
  // 50 ms are enough for what loses, however it varies.
  CHECK(are_enough_on_card(unsteady, timing, 0.05));
  CHECK_FALSE(are_enough_on_card(samples(5, 0.105), timing, 0.05));
  CHECK_FALSE(are_enough_on_card(samples(5, 0.12), {0.001, 0.25, 11, 101, {}}, 0.05));
}

namespace {

void stay_on(int core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  sched_setaffinity(0, sizeof one, &one);
}

/// Computes for so much CPU time of its thread [s].
void spin(double seconds) {
  const auto used = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  for (const double end = used() + seconds; used() < end;) {
  }
}

}  // namespace

TEST_CASE("a sample is disturbed when another thread of its team has no core") {
  // The calling thread sleeps meanwhile: its own switches and CPU time say nothing.
  const int core = sched_getcpu();
  std::latch both(2), done(2), over(1);
  std::vector<std::thread> team;
  const auto call = [&] {
    for (int i = 0; i < 2; ++i)
      team.emplace_back([&] {
        stay_on(core);
        both.arrive_and_wait();
        spin(0.05);
        done.count_down();
        over.wait();
      });
    done.wait();
  };
  const Sample one = sample(call, 1);
  over.count_down();
  for (std::thread& thread : team) thread.join();
  if (one.waited < 0) return;  // this kernel does not count
  CHECK_FALSE(one.clean());
}

TEST_CASE("a calling thread that sleeps of its own will is not disturbed") {
  bool clean = false;
  for (int i = 0; i < 1000 && !clean; ++i) {
    const Sample one =
        sample([] { std::async(std::launch::async, [] { spin(0.002); }).wait(); }, 1);
    if (one.waited < 0) return;
    clean = one.clean() && one.cpu_share < 0.5;
  }
  CHECK(clean);
}

TEST_CASE("a team larger than its cores waits for itself, which is no neighbour's doing") {
  const auto counted = [](std::size_t threads, double cpu) {
    Sample one;
    // Each of four threads waited for half of 80 ms.
    count_waits(one, {0.08, cpu, 0, 0}, {0.04, 0.16, threads, 2});
    return one;
  };
  CHECK(counted(4, 0.16).clean());
  // Three quarters of the two cores were theirs.
  CHECK(counted(4, 0.12).waited == Approx(0.5).margin(1e-3));
  CHECK(counted(4, 0.12).lost == Approx(0.5).margin(1e-3));
  // Waits that overlap are no loss for each: two threads worked for three quarters of the window.
  CHECK(counted(2, 0.12).lost == Approx(0.5).margin(1e-3));
  CHECK(counted(2, 0.04).lost == Approx(0.75).margin(1e-3));
  Sample stolen;
  count_waits(stolen, {0.08, 0.06, 0.02, 0}, {0, 0, 1, 2});
  CHECK(stolen.waited == Approx(0.25));
  CHECK(stolen.lost == Approx(0.25).margin(1e-3));
  // Missing because it waited.
  count_waits(stolen, {0.08, 0.06, 0.02, 0}, {0.02, 0.02, 1, 2});
  CHECK(stolen.lost == Approx(0.25).margin(1e-3));
}

TEST_CASE("disturbed samples do not prove that a variant cannot win") {
  const Timing timing{0.001, 0.25, 11, 101, 0.1};
  Sample slow{0.5, 1, 0, 0.6};
  CHECK_FALSE(cannot_win(std::vector<Sample>(4, slow), timing));
  slow.waited = 0;
  CHECK(cannot_win(std::vector<Sample>(4, slow), timing));
}
