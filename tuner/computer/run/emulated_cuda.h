// CUDA kernels on the CPU: every block in turn, its threads as fibers on one system thread, so
// barriers and shuffles hold. A missing barrier shows in the results, because threads and blocks
// run in ascending order in one call and in random order in others. Where a kernel needs two blocks
// at the same time, or a fence (a store seen late by another block), nothing shows. For results and
// error paths only, not for times. Kernels are compiled with rooftune/cuda_emulation.h.
#pragma once
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "core/callback.h"
#include "core/rng.h"
#include "run/array_set.h"
#include "run/gpu_runtime.h"

namespace rooftune::run {

class EmulatedBlock;

class EmulatedCuda final : public GpuMachine {
 public:
  /// `seed`: the random order's.
  explicit EmulatedCuda(const CudaProperties& properties, uint64_t seed = 1);
  ~EmulatedCuda() override;
  /// Sets the order for threads and blocks from now on; a random one begins with the seed.
  void run_in_random_order(bool random) {
    random_ = random;
    rng_ = Rng(seed_, 0);
  }

  const CudaProperties& properties() const override { return properties_; }
  void* allocate(int64_t bytes) override;
  void release(void* start) noexcept override;
  void upload(void* to, const void* from, int64_t bytes) override { std::memcpy(to, from, bytes); }
  void download(void* to, const void* from, int64_t bytes) override { upload(to, from, bytes); }
  void clear(void* start, int64_t bytes) override { std::memset(start, 0, bytes); }
  void launch(const CudaLaunch& launch) override;
  int resident_blocks(const char* kernel, int threads, int64_t shared_bytes) override;
  void barrier() override;
  const unsigned char* exchange(uint64_t mask, const void* mine, int bytes) override;

  /// The variant's first call is in ascending order, those from its timing on are in random order.
  void use(const Task& task) override {
    user_ = task.library;
    run_in_random_order(false);
  }
  void drop(const Task& task) override { memory_.erase(task.library); }
  double seconds(const Callback& calls) override;
  std::string damage() override;
  std::string circumstances() const override;

 private:
  CudaProperties properties_;
  uint64_t seed_;
  bool random_ = false;
  Rng rng_{1, 0};
  fs::path user_;
  std::map<fs::path, std::map<void*, GuardedArray>> memory_;  ///< by variant
  int allocations_ = 0;                                       ///< so far; numbers them in messages
  Thread place_;
  std::unique_ptr<EmulatedBlock> block_;
  std::vector<std::max_align_t> shared_memory_;
};

}  // namespace rooftune::run
