// A kernel's study on the fake driver, in a folder that tests write to.
#pragma once
#include <cstdlib>
#include <optional>

#include "support/kernel_folder.h"
#include "support/zero_kernel.h"

namespace rooftune {

/// The kernel zero on the fake driver; `fake` says how that behaves.
class FakeCard {
 public:
  FakeCard(const GpuCompiler& compiler, const std::string& fake)
      : cache_(place_.path() / "cache", host_compiler()) {
    setenv("ROOFTUNE_LIBCUDA", ROOFTUNE_FAKE_DRIVER, 1);
    setenv("ROOFTUNE_WORKER", ROOFTUNE_TEST_WORKER, 1);
    setenv("FAKE_CUDA", fake.c_str(), 1);
    cache_.use(compiler);
    test::write_zero_kernel(folder);
    std::filesystem::create_directories(place_.path() / "scratch");
  }
  ~FakeCard() {
    for (const char* name : {"FAKE_CUDA", "FAKE_CUDA_CALLS", "ROOFTUNE_LIBCUDA"}) unsetenv(name);
  }
  FakeCard(const FakeCard&) = delete;
  FakeCard& operator=(const FakeCard&) = delete;
  /// After the folder is as it shall be.
  HostEvaluator& evaluator(const RunLimits& limits = test_limits(), int threads = 1,
                           int64_t n = 100) {
    kernel_.emplace(folder.kernel());
    Study study{{*kernel_, *kernel_->backend("cuda")}, {{"n", Value(n)}}, threads};
    study.gpu.runtime = "cuda";
    study.gpu.mode = GpuSetup::Mode::card;
    evaluator_.emplace(study, cache_, place_.path() / "scratch", limits);
    space_.emplace(space_of("zero", R"([
      {"name": "block", "kind": "compile", "values": [256], "breaks": ["occupancy"]},
      {"name": "items", "kind": "compile", "values": [1, 2], "breaks": ["ilp"]}])",
                            evaluator_->facts()));
    evaluator_->use(*space_);
    return *evaluator_;
  }
  const SearchSpace& space() const { return *space_; }
  std::filesystem::path path(const char* name) const { return place_.path() / name; }

  const KernelFolder folder;

 private:
  const TemporaryDirectory place_{"rooftune-card"};
  ArtefactCache cache_;
  std::optional<Kernel> kernel_;
  std::optional<HostEvaluator> evaluator_;
  std::optional<SearchSpace> space_;
};

}  // namespace rooftune
