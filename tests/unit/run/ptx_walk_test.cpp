// Threads followed through PTX.
#include "run/cuda/ptx_walk.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>
#include <vector>

#include "core/error.h"

using namespace rooftune;

namespace {

/// Every thread adds up `rounds` products from its element on, `stride` elements apart.
const char* const sums = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry sums(.param .u64 sums_0, .param .u64 sums_1, .param .u32 sums_2)
{
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  .reg .f64 %d<5>;
  ld.param.u64 %rd1, [sums_0];
  ld.param.u64 %rd2, [sums_1];
  ld.param.u32 %r1, [sums_2];
  cvta.to.global.u64 %rd3, %rd1;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  mul.lo.s32 %r6, %r5, %r1;
  mul.wide.s32 %rd4, %r6, 8;
  add.s64 %rd5, %rd3, %rd4;
  ld.global.u32 %r7, [%rd2];
  mov.f64 %d1, 0d0000000000000000;
$again:
  ld.global.f64 %d2, [%rd5];
  fma.rn.f64 %d1, %d2, %d2, %d1;
  setp.lt.f64 %p1, %d1, 0d0000000000000000;
  @%p1 bra $negative;
  add.s64 %rd5, %rd5, 8;
  add.s32 %r7, %r7, -1;
  setp.ne.s32 %p2, %r7, 0;
  @%p2 bra $again;
  bra.uni $end;
$negative:
  div.rn.f64 %d1, %d1, %d2;
$end:
  st.global.f64 [%rd5], %d1;
  ret;
}
)";

struct Setting {
  std::vector<double> data = std::vector<double>(1 << 16, 1.0);
  std::int32_t rounds = 10;
  int stride = 1;

  ThreadWork work(const char* code = sums, const char* kernel = "sums") {
    void* first = data.data();
    void* second = &rounds;
    void* arguments[] = {&first, &second, &stride, nullptr};
    const unsigned bytes[] = {8, 8, 4, 0};
    PtxWalk walk(code);
    const auto inside = [](std::uint64_t address, std::size_t size, const void* from,
                           std::size_t all) {
      const auto start = reinterpret_cast<std::uint64_t>(from);
      return address >= start && address + size <= start + all;
    };
    return walk.work({kernel, {8}, {128}, 0, arguments, nullptr, bytes}, 1024,
                     [&](std::uint64_t address, std::size_t size) -> unsigned char* {
                       const bool known = inside(address, size, data.data(), 8 * data.size()) ||
                                          inside(address, size, &rounds, sizeof rounds);
                       return known ? reinterpret_cast<unsigned char*>(address) : nullptr;
                     });
  }
};

}  // namespace

TEST_CASE("a loop is counted as often as the arrays of the problem say") {
  Setting setting;
  // A product and a comparison in each round; the division is never reached.
  CHECK(setting.work().fp64 == 20);
  CHECK(setting.work().special == 0);
  CHECK(setting.work().memory == 12);
  setting.rounds = 1000;
  CHECK(setting.work().fp64 == 2000);
  CHECK(setting.work().issued > 7000);
}

TEST_CASE("neighbours far apart move more through L1 and L2 than neighbours side by side") {
  Setting setting;
  const ThreadWork beside = setting.work();
  setting.stride = 32;
  const ThreadWork apart = setting.work();
  CHECK(apart.l1_cycles > 3 * beside.l1_cycles);
  CHECK(apart.l2_bytes > beside.l2_bytes);
  CHECK(apart.fp64 == beside.fp64);
}

TEST_CASE("what a walk does not know ends it with words") {
  Setting setting;
  CHECK_THROWS_WITH(setting.work(sums, "other"), Catch::Contains("no kernel other"));
  std::string unknown = sums;
  unknown.replace(unknown.find("fma.rn.f64"), 10, "brkpt.x.f64");
  CHECK_THROWS_WITH(PtxWalk(unknown),
                    Catch::Contains("unknown instruction of PTX \"brkpt.x.f64 %d1"));
  setting.rounds = -1;
  CHECK_THROWS_WITH(setting.work(), Catch::Contains("a thread of sums is too long"));
}
