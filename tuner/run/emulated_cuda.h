// CUDA kernels on the CPU: every block in turn, its threads as fibers of one system thread, so that
// barriers and shuffles hold. For results and error paths; its times mean nothing. Kernels are
// compiled with rooftune/cuda_emulation.h.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "run/cuda_machine.h"
#include "run/guarded_array.h"

namespace rooftune::inline run {

/// The threads of one block, run as fibers.
class EmulatedBlock {
 public:
  EmulatedBlock();
  ~EmulatedBlock();
  EmulatedBlock(const EmulatedBlock&) = delete;
  EmulatedBlock& operator=(const EmulatedBlock&) = delete;

  /// Runs body() once per thread; `shown` is where the running thread's place is kept. Throws
  /// VariantFault when some threads wait for others that have ended.
  void run(const CudaSize& size, CudaDevice::Thread& shown, const std::function<void()>& body);
  void barrier();
  const unsigned char* exchange(unsigned mask, const void* mine, int bytes);

 private:
  struct Fibers;
  std::unique_ptr<Fibers> fibers_;
};

class EmulatedCuda final : public CudaMachine {
 public:
  explicit EmulatedCuda(const CudaProperties& properties);

  const CudaProperties& properties() const override { return properties_; }
  void* allocate(std::int64_t bytes) override;
  void release(void* start) noexcept override;
  void upload(void* to, const void* from, std::int64_t bytes) override;
  void download(void* to, const void* from, std::int64_t bytes) override;
  void clear(void* start, std::int64_t bytes) override;
  void launch(const CudaLaunch& launch) override;
  int resident_blocks(const char* kernel, int threads, std::int64_t shared_bytes) override;
  void keep_in_l2(const void*, std::int64_t) override {}
  void barrier() override { block_.barrier(); }
  const unsigned char* exchange(unsigned mask, const void* mine, int bytes) override {
    return block_.exchange(mask, mine, bytes);
  }

  void use(const Task& task) override { user_ = task.library; }
  void drop(const Task& task) override { memory_.erase(task.library); }
  void wait() override {}
  double seconds(const std::function<void()>& calls) override;
  void flush() override {}
  std::string damage() override;

 private:
  CudaProperties properties_;
  std::filesystem::path user_;
  std::map<std::filesystem::path, std::map<void*, GuardedArray>> memory_;  ///< by variant
  int allocations_ = 0;  ///< so far; numbers them in messages
  Thread place_;
  EmulatedBlock block_;
  std::vector<std::max_align_t> shared_memory_;
};

}  // namespace rooftune::inline run
