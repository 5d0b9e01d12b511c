// The kernel for emptying a card's L2 cache of a variant's data, as text for the driver's own
// assembler: it reads other memory. Overwriting would leave lines to write back, at the cost of the
// next timed kernel.
#pragma once
#include "core/modules.h"

namespace rooftune::run {

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
