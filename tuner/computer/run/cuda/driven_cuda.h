// A card behind NVIDIA's driver: memory between canaries, kernels from cubins, time from events.
// Its settings (clocks, power, modes) are never touched. The caller ends the process after a
// VariantFault: most of them leave the card's context dead.
#pragma once
#include <map>

#include "run/cuda/cuda_driver.h"
#include "run/gpu_runtime.h"

namespace rooftune::run {

/// CUDA's row in the GPU runtime table: this machine's NVIDIA cards, and one as a worker's device.
int cuda_driver_here();
std::string cuda_driver_text(int driver);
std::vector<InstalledCard> cuda_cards();
std::unique_ptr<GpuMachine> cuda_card(const InstalledCard& card);

/// The kernel that empties a card's L2 cache of a variant's data, as text for the driver's own
/// assembler: it reads other memory. Overwriting would leave lines to write back, and the next
/// timed kernel would pay for them.
inline constexpr const char* flush_kernel_name = "rooftune_flush";
/// Arguments: where the memory starts, and its bytes, a multiple of 16. Any grid. Volatile loads go
/// past L1, and the assembler keeps them though nobody uses them.
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
