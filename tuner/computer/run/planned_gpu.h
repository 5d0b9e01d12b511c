// A device that runs nothing: it writes down a variant's launches, to judge configurations without
// a GPU.
#pragma once
#include <map>
#include <vector>

#include "build/kernel_resources.h"
#include "run/gpu_machine.h"

namespace rooftune::run {

class PlannedGpu final : public GpuMachine {
 public:
  explicit PlannedGpu(const GpuSetup& setup);

  const CudaProperties& properties() const override { return properties_; }
  void* allocate(std::int64_t bytes) override;
  void release(void*) noexcept override {}
  void upload(void*, const void*, std::int64_t) override {}
  void download(void*, const void*, std::int64_t) override {}
  void clear(void*, std::int64_t) override {}
  void launch(const CudaLaunch& launch) override;
  int resident_blocks(const char* kernel, int threads, std::int64_t shared_bytes) override;
  void keep_in_l2(const void*, std::int64_t) override {}
  void barrier() override {}
  const unsigned char* exchange(std::uint64_t, const void*, int) override { return nullptr; }

  void use(const Task& task) override;
  void drop(const Task&) override {}
  void wait() override {}
  double seconds(const std::function<void()>&) override { return 0; }
  void flush() override {}
  std::string damage() override { return {}; }

  /// Launches since the last use(); equal ones in a row are one.
  const std::vector<PlannedLaunch>& launches() const { return launches_; }
  void forget_launches() { launches_.clear(); }
  std::int64_t allocated() const { return allocated_; }

 private:
  std::string runtime_;
  CudaProperties properties_;
  MultiprocessorLimits limits_;
  std::map<std::string, KernelResources> resources_;
  std::vector<PlannedLaunch> launches_;
  std::int64_t allocated_ = 0;
};

}  // namespace rooftune::run
