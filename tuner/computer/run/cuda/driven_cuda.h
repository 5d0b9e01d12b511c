// A card behind NVIDIA's driver: memory between canaries, kernels from cubins, time from events.
// Its settings (clocks, power, modes) are never touched. The caller ends the process after a
// VariantFault: most of them leave the card's context dead.
#pragma once
#include <map>

#include "core/filesystem.h"
#include "run/cuda/cuda_driver.h"
#include "run/gpu_runtime.h"

namespace rooftune::run {

class DrivenCuda final : public GpuMachine {
 public:
  DrivenCuda(std::unique_ptr<CudaDriver> driver, InstalledCard card);

  const CudaProperties& properties() const override { return properties_; }
  /// On a full card, frees memory of other variants, the longest unused first: they must prepare
  /// again before their next call, as `lifetime` shows in use().
  void* allocate(int64_t bytes) override;
  void release(void* start) noexcept override;
  void upload(void* to, const void* from, int64_t bytes) override;
  void download(void* to, const void* from, int64_t bytes) override;
  void clear(void* start, int64_t bytes) override;
  void launch(const CudaLaunch& launch) override;
  int resident_blocks(const char* kernel, int threads, int64_t shared_bytes) override;
  void* stream() override { return stream_; }
  void prefer_shared(int per_cent) override { current_->carveout = per_cent; }

  void use(const Task& task) override;
  void drop(const Task& task) override;
  void wait() override;
  double seconds(const std::function<void()>& calls) override;
  void flush() override;
  std::string damage() override;

 private:
  /// The driver's answers about a kernel, each asked for once.
  struct Kernel {
    struct Residency {
      int threads;
      int64_t shared_bytes;
      int blocks;
    };
    std::string name;
    CudaFunction handle = nullptr;
    int64_t shared_bytes = 0;  ///< allowed to launches, dynamic
    int carveout = -1;
    std::vector<Residency> residencies;
  };
  /// Everything held by one variant.
  struct Variant {
    CudaModule module = nullptr;
    std::vector<Kernel> kernels;
    std::map<CudaAddress, int64_t> memory;  ///< given to the variant, with its bytes
    int carveout = -1;                      ///< per cent for shared memory; -1: the driver's choice
    unsigned lifetime = 0;                  ///< of its memory
    uint64_t last_use = 0;                  ///< counts uses of all variants
  };

  /// The kernel with so much dynamic shared memory allowed, and the variant's carveout.
  Kernel& kernel(const char* name, int64_t shared_bytes);
  /// Memory of the card, if need be taken from other variants; see allocate().
  CudaAddress reserved(size_t bytes);
  void free_memory(Variant& variant);
  /// Frees the memory of the longest unused variant; false when there is none.
  bool make_room();

  std::unique_ptr<CudaDriver> driver_;
  InstalledCard card_;
  CudaProperties properties_ = properties_of(card_.facts);
  CudaStream stream_ = nullptr;
  CudaEvent begin_ = nullptr, end_ = nullptr;
  CudaFunction flush_kernel_ = nullptr;  ///< null: the driver cannot assemble it
  CudaAddress flushed_ = 0;
  std::map<fs::path, Variant> variants_;
  Variant* current_ = nullptr;
  uint64_t uses_ = 0;
  unsigned lifetimes_ = 0;
};

/// CUDA's row of the table of GPU runtimes: the NVIDIA cards of this machine, and one of them as
/// the device of a worker.
int cuda_driver_here();
std::string cuda_driver_text(int driver);
std::vector<InstalledCard> cuda_cards();
std::unique_ptr<GpuMachine> cuda_card(const InstalledCard& card);

/// The kernel for emptying a card's L2 cache of a variant's data, as text for the driver's own
/// assembler: it reads other memory. Overwriting would leave lines to write back, at the cost of
/// the next timed kernel.
inline constexpr const char* flush_kernel_name = "rooftune_flush";
/// Arguments: start of the memory, and its bytes, a multiple of 16. Any grid. Volatile loads go
/// past L1, and the assembler keeps them without a use.
inline constexpr const char* flush_kernel_ptx = R"ptx(.version 6.0
.target sm_50
.address_size 64
.visible .entry rooftune_flush(.param .u64 start, .param .u64 bytes)
{
  .reg .pred %done;
  .reg .b32 %block, %blocks, %threads, %thread, %number, %all, %v<4>;
  .reg .b64 %at, %end, %size, %offset, %step;
  ld.param.u64 %at, [start];
  ld.param.u64 %size, [bytes];
  cvta.to.global.u64 %at, %at;
  add.u64 %end, %at, %size;
  mov.u32 %block, %ctaid.x;
  mov.u32 %blocks, %nctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %thread, %tid.x;
  mad.lo.u32 %number, %block, %threads, %thread;
  mul.lo.u32 %all, %blocks, %threads;
  mul.wide.u32 %offset, %number, 16;
  mul.wide.u32 %step, %all, 16;
  add.u64 %at, %at, %offset;
next:
  setp.ge.u64 %done, %at, %end;
  @%done bra finished;
  ld.volatile.global.v4.u32 {%v0, %v1, %v2, %v3}, [%at];
  add.u64 %at, %at, %step;
  bra next;
finished:
  ret;
}
)ptx";

}  // namespace rooftune::run
