// A card that never answers, seen through a driver of our own: the worker is ended at its limit.
#include <catch2/catch.hpp>

#include "run/cuda_card.h"
#include "support/kernel_folder.h"
#include "support/nvrtc.h"
#include "support/zero_kernel.h"

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
  CHECK(cards[1].properties.compute_capability == 80);
  CHECK(cards[1].limits.shared_bytes == 167936);
  CHECK(cards[1].limits.shared_reserved == 1024);
  setenv("FAKE_CUDA", "init=999", 1);
  CHECK_THROWS_WITH(cuda_cards(), Contains("does not start"));
  unsetenv("FAKE_CUDA");
  unsetenv("ROOFTUNE_LIBCUDA");
}

TEST_CASE("a card that never answers costs the trial its time, then the worker") {
  const std::optional<CudaCompiler> compiler = test::nvrtc_for(80);
  if (!compiler) return;
  setenv("ROOFTUNE_LIBCUDA", ROOFTUNE_FAKE_DRIVER, 1);
  setenv("ROOFTUNE_WORKER", ROOFTUNE_TEST_WORKER, 1);
  setenv("FAKE_CUDA", "hang=1", 1);
  const KernelFolder folder;
  test::write_zero_kernel(folder);
  const TemporaryDirectory place{"rooftune-card"};
  ArtefactCache cache(place.path() / "cache", host_compiler());
  cache.use(*compiler);
  const Kernel kernel = folder.kernel();
  Study study{kernel, *kernel.backend("cuda"), {{"n", Value(100)}}, 1};
  study.cuda.mode = CudaSetup::Mode::card;
  std::filesystem::create_directories(place.path() / "scratch");
  HostEvaluator evaluator(study, cache, place.path() / "scratch", short_limits());
  const SearchSpace space = space_of("zero", R"([
    {"name": "block", "kind": "compile", "values": [256], "breaks": ["occupancy"]},
    {"name": "items", "kind": "compile", "values": [1], "breaks": ["ilp"]}])",
                                     evaluator.facts());
  evaluator.use(space);
  const Trial trial = evaluator.evaluate(space.baseline(), std::nullopt);
  CHECK(trial.outcome == Outcome::timed_out);
  CHECK_THAT(trial.detail, Contains("no end within 3 s"));
  setenv("FAKE_CUDA", "", 1);
  CHECK(evaluator.evaluate(space.baseline(), std::nullopt).ok());
  unsetenv("FAKE_CUDA");
  unsetenv("ROOFTUNE_LIBCUDA");
}
