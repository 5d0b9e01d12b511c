// A card that never answers, seen through a driver of our own: the worker is ended at its limit.
#include <catch2/catch.hpp>

#include "core/error.h"
#include "run/cuda_card.h"
#include "support/kernel_folder.h"

using namespace rooftune;
using Catch::Contains;

namespace {

/// y = 0, set by the launching half.
KernelFolder zero_kernel() {
  KernelFolder folder;
  folder.write("kernel.json", R"({"schema": "rooftune-kernel-1", "name": "k", "title": "k",
    "parameters": [{"name": "n", "type": "integer", "default": 100}],
    "arguments": [{"name": "n", "type": "int64", "value": "n"},
                  {"name": "y", "type": "double*", "count": "n", "access": "write"}],
    "work": {"least": {"fp64": "0"}, "items": "n", "item": "element"},
    "traffic": {"read": "0", "write": "8*n", "footprint": "8*n"},
    "reference": "reference.cpp",
    "backends": {"cuda": {"source": "cuda.cu", "prepare": true, "finish": true}}})");
  folder.write("reference.cpp",
               "#include <cstdint>\nvoid k(std::int64_t n, double* y) {\n"
               "  for (std::int64_t i = 0; i < n; ++i) y[i] = 0;\n}\n");
  folder.write("cuda.cu", R"(#include "rooftune/cuda.h"
ROOFTUNE_KERNEL __launch_bounds__(64, 1) idle(double* y) { if (y == nullptr) *y = 0; }
#if ROOFTUNE_HOST
static rooftune::DeviceBuffer<double> on_card;
void k_prepare(std::int64_t n, double*) { on_card.zeroed(n); }
void k(std::int64_t, double*) { ROOFTUNE_LAUNCH(idle, 2, 64, 0, on_card.data()); }
void k_finish(std::int64_t n, double* y) { on_card.copy_out(y, n); }
#endif
)");
  return folder;
}

}  // namespace

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
  std::optional<CudaCompiler> compiler;
  try {
    compiler = cuda_compiler(80);
  } catch (const Error& error) {
    WARN("skipped: " << error.message());
    return;
  }
  setenv("ROOFTUNE_LIBCUDA", ROOFTUNE_FAKE_DRIVER, 1);
  setenv("ROOFTUNE_WORKER", ROOFTUNE_TEST_WORKER, 1);
  setenv("FAKE_CUDA", "hang=1", 1);
  const KernelFolder folder = zero_kernel();
  const TemporaryDirectory place{"rooftune-card"};
  ArtefactCache cache(place.path() / "cache", host_compiler());
  cache.use(*compiler);
  const Kernel kernel = folder.kernel();
  Study study{kernel, *kernel.backend("cuda"), {{"n", Value(100)}}, 1};
  study.cuda.mode = CudaSetup::Mode::card;
  std::filesystem::create_directories(place.path() / "scratch");
  HostEvaluator evaluator(study, cache, place.path() / "scratch", short_limits());
  const SearchSpace space = space_of("k", "[]", evaluator.facts());
  evaluator.use(space);
  const Trial trial = evaluator.evaluate(space.baseline(), std::nullopt);
  CHECK(trial.outcome == Outcome::timed_out);
  CHECK_THAT(trial.detail, Contains("no end within 3 s"));
  setenv("FAKE_CUDA", "", 1);
  CHECK(evaluator.evaluate(space.baseline(), std::nullopt).ok());
  unsetenv("FAKE_CUDA");
  unsetenv("ROOFTUNE_LIBCUDA");
}
