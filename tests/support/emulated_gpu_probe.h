// The probe's kernels on the emulation: a card that really computes and whose times mean nothing.
// One at a time: the kernels know only one device.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "probe/gpu_plan.h"
#include "run/emulated_cuda.h"

namespace rooftune::test {

class EmulatedGpuProbe final : public GpuMachine {
 public:
  explicit EmulatedGpuProbe(const CudaProperties& properties);

  const CudaProperties& properties() const override { return inner_.properties(); }
  void* allocate(std::int64_t bytes) override { return inner_.allocate(bytes); }
  void release(void* start) noexcept override { inner_.release(start); }
  void upload(void* to, const void* from, std::int64_t bytes) override {
    inner_.upload(to, from, bytes);
  }
  void download(void* to, const void* from, std::int64_t bytes) override {
    inner_.download(to, from, bytes);
  }
  void clear(void* start, std::int64_t bytes) override { inner_.clear(start, bytes); }
  /// Throws std::out_of_range for a kernel that the source has not.
  void launch(const CudaLaunch& launch) override;
  int resident_blocks(const char* kernel, int threads, std::int64_t shared_bytes) override {
    return inner_.resident_blocks(kernel, threads, shared_bytes);
  }
  void barrier() override { inner_.barrier(); }
  const unsigned char* exchange(std::uint64_t mask, const void* mine, int bytes) override {
    return inner_.exchange(mask, mine, bytes);
  }
  void use(const Task&) override {}
  double seconds(const std::function<void()>& calls) override {
    calls();
    return 1e-3;
  }
  std::string damage() override { return inner_.damage(); }

 private:
  EmulatedCuda inner_;
};

/// Names of all kernels of the source.
std::vector<std::string> emulated_gpu_kernels();

/// Kernels launched by a full probe of a card of this compute capability (80: 8.0), sorted.
inline std::vector<std::string> planned_gpu_kernels(int compute_capability) {
  std::set<std::string> names{"probe_nothing"};
  for (const auto& plan :
       {gpu_in_core_plan(compute_capability, Extent::full), gpu_memory_plan(1e9, Extent::full),
        gpu_l2_plan(1e6, Extent::full), gpu_l1_plan(1e5)})
    for (const GpuTask& task : plan) names.insert(task.kernel);
  return {names.begin(), names.end()};
}

}  // namespace rooftune::test
