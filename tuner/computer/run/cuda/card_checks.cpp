#include "run/cuda/card_checks.h"

#include <algorithm>

namespace rooftune::run {
namespace {

constexpr const char* comparing = "comparison on the device";

/// Arguments of the first kernel: outputs of the variant and of the reference, scales (or 0), how
/// many elements, one scale for all (below 0: each element's own), absolute and relative tolerance,
/// the bits of poison, bytes per element (4 or 8), whether NaN equals NaN, and two 64-bit numbers:
/// the bits of the largest error over its scale, and how many elements are wrong. It follows the
/// rule in compare() and rounds alike. Any grid.
///
/// Arguments of the second: the zones before and behind an array, the pattern in both, and the same
/// two numbers. One block, a thread for each byte in a zone.
constexpr const char *compare_kernel_name = "rooftune_check_array",
                     *guard_kernel_name = "rooftune_check_guards";
constexpr const char* check_kernels_ptx = R"ptx(.version 6.0
.target sm_50
.address_size 64
.visible .entry rooftune_check_array(.param .u64 got, .param .u64 expected, .param .u64 scales,
    .param .u64 count, .param .f64 unit, .param .f64 absolute, .param .f64 relative,
    .param .u64 poison, .param .u32 bytes, .param .u32 nan_is_right, .param .u64 found)
{
  .reg .pred %done, %is_wide, %has_scales, %nan_equal, %p, %q;
  .reg .b32 %block, %threads, %thread, %blocks, %number, %all, %u, %v;
  .reg .f32 %f, %h;
  .reg .b64 %got, %expected, %scales, %count, %poison, %found, %at, %step, %offset, %a, %b;
  .reg .b64 %g_bits, %e_bits, %wrong, %bits, %seen;
  .reg .f64 %unit, %absolute, %relative, %g, %e, %error, %own, %ratio, %allowed, %largest;
  ld.param.u64 %got, [got];
  ld.param.u64 %expected, [expected];
  ld.param.u64 %scales, [scales];
  ld.param.u64 %count, [count];
  ld.param.f64 %unit, [unit];
  ld.param.f64 %absolute, [absolute];
  ld.param.f64 %relative, [relative];
  ld.param.u64 %poison, [poison];
  ld.param.u32 %u, [bytes];
  ld.param.u32 %v, [nan_is_right];
  ld.param.u64 %found, [found];
  setp.eq.u32 %is_wide, %u, 8;
  setp.ne.u32 %nan_equal, %v, 0;
  setp.ne.u64 %has_scales, %scales, 0;
  mov.u32 %block, %ctaid.x;
  mov.u32 %blocks, %nctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %thread, %tid.x;
  mad.lo.u32 %number, %block, %threads, %thread;
  mul.lo.u32 %all, %blocks, %threads;
  cvt.u64.u32 %at, %number;
  cvt.u64.u32 %step, %all;
  mov.f64 %largest, 0d0000000000000000;
  mov.u64 %wrong, 0;
next:
  setp.ge.u64 %done, %at, %count;
  @%done bra finished;
  @%is_wide bra wide;
  shl.b64 %offset, %at, 2;
  add.u64 %a, %got, %offset;
  add.u64 %b, %expected, %offset;
  ld.global.u32 %u, [%a];
  ld.global.u32 %v, [%b];
  cvt.u64.u32 %g_bits, %u;
  cvt.u64.u32 %e_bits, %v;
  mov.b32 %f, %u;
  mov.b32 %h, %v;
  cvt.f64.f32 %g, %f;
  cvt.f64.f32 %e, %h;
  bra compare;
wide:
  shl.b64 %offset, %at, 3;
  add.u64 %a, %got, %offset;
  add.u64 %b, %expected, %offset;
  ld.global.u64 %g_bits, [%a];
  ld.global.u64 %e_bits, [%b];
  mov.b64 %g, %g_bits;
  mov.b64 %e, %e_bits;
compare:
  setp.eq.f64 %p, %g, %e;
  @%p bra right;
  setp.nan.f64 %p, %g, %g;
  setp.nan.f64 %q, %e, %e;
  and.pred %p, %p, %q;
  @!%p bra differ;
  @%nan_equal bra right;
  setp.eq.u64 %p, %g_bits, %poison;
  setp.eq.u64 %q, %e_bits, %poison;
  and.pred %p, %p, %q;
  @%p bra right;
differ:
  sub.rn.f64 %error, %g, %e;
  abs.f64 %error, %error;
  abs.f64 %own, %e;
  setp.ge.f64 %p, %unit, 0d0000000000000000;
  @%p mov.f64 %own, %unit;
  @!%has_scales bra scaled;
  shl.b64 %offset, %at, 3;
  add.u64 %a, %scales, %offset;
  ld.global.f64 %own, [%a];
  abs.f64 %own, %own;
scaled:
  setp.gt.f64 %p, %own, 0d0000000000000000;
  @!%p bra judge;
  div.rn.f64 %ratio, %error, %own;
  setp.gt.f64 %p, %ratio, %largest;
  @%p mov.f64 %largest, %ratio;
judge:
  mul.rn.f64 %allowed, %relative, %own;
  add.rn.f64 %allowed, %absolute, %allowed;
  setp.le.f64 %p, %error, %allowed;
  setp.lt.f64 %q, %error, 0d7FF0000000000000;
  and.pred %p, %p, %q;
  @!%p add.u64 %wrong, %wrong, 1;
right:
  add.u64 %at, %at, %step;
  bra next;
finished:
  mov.b64 %bits, %largest;
  ld.volatile.global.u64 %seen, [%found];
  setp.le.u64 %p, %bits, %seen;
  @%p bra counted;
  red.global.max.u64 [%found], %bits;
counted:
  setp.eq.u64 %p, %wrong, 0;
  @%p bra leave;
  red.global.add.u64 [%found+8], %wrong;
leave:
  ret;
}
.visible .entry rooftune_check_guards(.param .u64 before, .param .u64 behind, .param .u32 pattern,
    .param .u64 found)
{
  .reg .pred %p, %q;
  .reg .b32 %thread, %pattern, %u, %v;
  .reg .b64 %before, %behind, %found, %offset, %one;
  ld.param.u64 %before, [before];
  ld.param.u64 %behind, [behind];
  ld.param.u32 %pattern, [pattern];
  ld.param.u64 %found, [found];
  mov.u32 %thread, %tid.x;
  cvt.u64.u32 %offset, %thread;
  add.u64 %before, %before, %offset;
  add.u64 %behind, %behind, %offset;
  ld.global.u8 %u, [%before];
  ld.global.u8 %v, [%behind];
  setp.eq.u32 %p, %u, %pattern;
  setp.eq.u32 %q, %v, %pattern;
  and.pred %p, %p, %q;
  @%p bra whole;
  mov.u64 %one, 1;
  red.global.add.u64 [%found+8], %one;
whole:
  ret;
}
)ptx";

}  // namespace

CardChecks::~CardChecks() {
  if (found_ != 0) driver_.MemFree(found_);
  if (module_) driver_.ModuleUnload(module_);
}

bool CardChecks::are_ready() {
  if (was_tried_) return guard_ != nullptr;
  was_tried_ = true;
  CudaFunction compare = nullptr, guard = nullptr;
  // Stand-ins for a driver that do not copy on the card do not compute either.
  if (!driver_.MemcpyDtoD || driver_.ModuleLoadData(&module_, check_kernels_ptx) != 0 ||
      driver_.ModuleGetFunction(&compare, module_, compare_kernel_name) != 0 ||
      driver_.ModuleGetFunction(&guard, module_, guard_kernel_name) != 0 ||
      driver_.MemAlloc(&found_, sizeof(Found)) != 0)
    return false;
  compare_ = compare;
  guard_ = guard;
  return true;
}

void CardChecks::clear() { check(driver_, driver_.MemsetD8(found_, 0, sizeof(Found)), comparing); }

void CardChecks::launch(CudaFunction kernel, unsigned blocks, unsigned threads, void** arguments) {
  check(driver_,
        driver_.LaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, stream_, arguments, nullptr),
        comparing);
}

CardChecks::Found CardChecks::found() {
  Found result;
  check(driver_, driver_.MemcpyDtoH(&result, found_, sizeof result), comparing);
  return result;
}

bool CardChecks::are_whole(const std::vector<Guards>& guards, unsigned bytes,
                           unsigned char pattern) {
  if (guards.empty()) return true;
  clear();
  for (Guards one : guards) {
    unsigned byte = pattern;
    void* arguments[] = {&one.before, &one.behind, &byte, &found_};
    launch(guard_, 1, bytes, arguments);
  }
  return found().wrong == 0;
}

std::optional<double> CardChecks::error(const Slot& slot, const ElementRule& rule, CudaAddress got,
                                        CudaAddress expected, CudaAddress scale) {
  const Tolerance& tolerance = slot.argument.tolerance;
  uint64_t count = slot.count, poison = rule.poison;
  double unit = rule.unit, absolute = tolerance.absolute, relative = tolerance.relative;
  auto bytes = unsigned(slot.argument.type.size());
  unsigned nan = tolerance.nan ? 1 : 0;
  void* arguments[] = {&got,      &expected, &scale, &count, &unit,  &absolute,
                       &relative, &poison,   &bytes, &nan,   &found_};
  constexpr unsigned threads = 256, blocks_each = 4;
  const uint64_t most = blocks_each * unsigned(std::max(multiprocessors_, 1));
  clear();
  launch(compare_, unsigned(std::min(most, (count + threads - 1) / threads)), threads, arguments);
  const Found result = found();
  if (result.wrong > 0) return {};
  return result.largest;
}

}  // namespace rooftune::run
