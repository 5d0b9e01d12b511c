// A card with known rates for the probe to find: nothing is computed, time is reckoned from what a
// launch asks for, with delays now and then. The caller reads the rates that it set.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/rng.h"
#include "probe/gpu_plan.h"

namespace rooftune::test {

class FakeGpu final : public GpuMachine {
 public:
  /// Rates in flop/s by precision and in B/s by level.
  std::map<std::string, double> rates{
      {"fp64", 1e12},          {"fp32", 2e12},        {"fp16", 4e12},
      {"fp64_tensor", 2e12},   {"tf32_tensor", 8e12}, {"fp16_tensor", 1.6e13},
      {"bf16_tensor", 1.6e13}, {"L1", 4e12},          {"L2", 1e12},
      {"DRAM", 2e11},          {"shared", 4.2e12}};
  double l1_bytes = 128 << 10;  ///< per multiprocessor
  double l2_bytes = 2 << 20;
  double clock = 1.5e9;
  double launch_seconds = 3e-6;
  double latency = 5e-7;  ///< of memory [s]
  bool noisy = true;
  std::string unsteady;  ///< kernel that takes longer each time
  long launches = 0;

  FakeGpu();
  const InstalledCard& description() const { return description_; }

  const CudaProperties& properties() const override { return properties_; }
  void* allocate(std::int64_t bytes) override;
  void release(void* start) noexcept override;
  void upload(void* to, const void* from, std::int64_t bytes) override;
  void download(void* to, const void* from, std::int64_t bytes) override;
  void clear(void*, std::int64_t) override {}
  void launch(const CudaLaunch& launch) override;
  int resident_blocks(const char*, int threads, std::int64_t) override { return 1024 / threads; }
  void use(const Task&) override {}
  double seconds(const std::function<void()>& calls) override;

 private:
  double in_core_seconds(const CudaLaunch& launch, const std::string& precision) const;
  double memory_seconds(const CudaLaunch& launch) const;

  InstalledCard description_;
  CudaProperties properties_;
  std::map<void*, std::vector<char>> memory_;
  Rng rng_{11, 0};
  double elapsed_ = 0;
  int unsteady_launches_ = 0;
};

}  // namespace rooftune::test
