// A card that never answers, seen through a driver of our own: the worker is ended at its limit.
#include <catch2/catch.hpp>

#include "run/cuda/driven_cuda.h"
#include "support/card_study.h"
#include "support/fake_driver.h"
#include "support/nvrtc.h"

using namespace rooftune;
using Catch::Contains;

TEST_CASE("the driver's cards are listed with what fits on them") {
  setenv("ROOFTUNE_LIBCUDA", ROOFTUNE_FAKE_DRIVER, 1);
  setenv("FAKE_CUDA", "count=2", 1);
  const auto cards = cuda_cards();
  REQUIRE(cards.size() == 2);
  CHECK(cards[1].index == 1);
  CHECK(cards[1].name == "NVIDIA A100-SXM4-40GB");
  CHECK(cards[1].uuid == "GPU-a1a1a1a1-a1a1-a1a1-a1a1-a1a1a1a1a1a1");
  CHECK(cards[1].facts.compute_capability == 80);
  CHECK(cards[1].facts.shared_per_multiprocessor == 167936);
  CHECK(cards[1].facts.shared_reserved == 1024);
  // This driver tells no warp: CUDA's have had 32 threads so far.
  CHECK(cards[1].facts.warp == 32);
  CHECK(cards[1].runtime == "cuda");
  setenv("FAKE_CUDA", "init=999", 1);
  CHECK_THROWS_WITH(cuda_cards(), Contains("does not start"));
  unsetenv("FAKE_CUDA");
  unsetenv("ROOFTUNE_LIBCUDA");
}

TEST_CASE("the driver is asked once for what it knows") {
  const auto compiler = test::nvrtc_for(80);
  if (!compiler) return;
  FakeCard card(*compiler, "");
  const std::string calls = card.path("calls").string();
  setenv("FAKE_CUDA_CALLS", calls.c_str(), 1);
  // Two launches a call, each of them asks.
  card.folder.write("cuda.cu", R"(#include "rooftune/gpu.h"
ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, 1) idle(double* y) { if (y == nullptr) *y = 0; }
#if ROOFTUNE_HOST
static rooftune::DeviceBuffer<double> on_card;
void zero_prepare(std::int64_t n, double*) { on_card.zeroed(n); }
void zero(std::int64_t, double*) {
  const rooftune::Int64 blocks = ROOFTUNE_PERSISTENT_BLOCKS(idle, KNOB_BLOCK, 100000) > 0;
  for (int i = 0; i < 2; ++i) ROOFTUNE_LAUNCH(idle, blocks, KNOB_BLOCK, 100000, on_card.data());
}
void zero_finish(std::int64_t n, double* y) { on_card.copy_out(y, n); }
#endif
)");
  const Trial trial = card.evaluator().evaluate(card.space().baseline(), std::nullopt);
  INFO(trial.detail);
  REQUIRE(trial.ok());
  CHECK(trial.measurement->seconds.value == Approx(2 * 256e-9).epsilon(0.01));
  CHECK(test::counted(calls, test::FakeCall::launch) > 100);
  CHECK(test::counted(calls, test::FakeCall::occupancy) == 1);
  CHECK(test::counted(calls, test::FakeCall::function_attribute) == 1);
}

TEST_CASE("in a race one call settles a variant, since a card only queues calls") {
  const auto compiler = test::nvrtc_for(80);
  if (!compiler) return;
  FakeCard card(*compiler, "");
  const std::string calls = card.path("calls").string();
  setenv("FAKE_CUDA_CALLS", calls.c_str(), 1);
  const auto launches_of_race = [&](int threads) {
    RunLimits limits = test_limits();
    limits.sample_seconds = 2e-5;
    HostEvaluator& evaluator = card.evaluator(limits, threads);
    Configuration other = card.space().baseline();
    other.set("items", 2);
    const auto before = test::counted(calls, test::FakeCall::launch);
    const Rounds rounds = evaluator.race({card.space().baseline(), other}, {3, 1});
    INFO(rounds.fault);
    CHECK(rounds.seconds.size() == 3);
    return test::counted(calls, test::FakeCall::launch) - before;
  };
  // A team of CPU threads is called for 10 ms before each sample: here tens of thousands of
  // launches.
  const auto alone = launches_of_race(1);
  CHECK(launches_of_race(108) < 10 * alone);
}

TEST_CASE("a card that never answers costs the trial its time, then the worker") {
  const auto compiler = test::nvrtc_for(80);
  if (!compiler) return;
  FakeCard card(*compiler, "hang=1");
  HostEvaluator& evaluator = card.evaluator(hanging_limits());
  const Trial trial = evaluator.evaluate(card.space().baseline(), std::nullopt);
  CHECK(trial.outcome == Outcome::timed_out);
  CHECK_THAT(trial.detail, Contains("no end within 3 s"));
  setenv("FAKE_CUDA", "", 1);
  CHECK(evaluator.evaluate(card.space().baseline(), std::nullopt).ok());
}
