// Threads followed through PTX.
#include "run/cuda/ptx_walk.h"

#include <catch2/catch.hpp>
#include <cmath>
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
  double array_bytes = 8 << 16;
  ptx::CacheShares shares{1024, HUGE_VAL};

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
    return walk.work({kernel, {8}, {128}, 0, arguments, nullptr, bytes}, shares,
                     [&](std::uint64_t address, std::size_t size) -> DevicePlace {
                       auto* const here = reinterpret_cast<unsigned char*>(address);
                       if (inside(address, size, data.data(), 8 * data.size()))
                         return {here, reinterpret_cast<std::uint64_t>(data.data()), array_bytes};
                       if (inside(address, size, &rounds, sizeof rounds))
                         return {here, reinterpret_cast<std::uint64_t>(&rounds), sizeof rounds};
                       return {};
                     });
  }
};

/// `sums` with these lines before its first branch.
std::string with(const std::string& lines) {
  std::string code = sums;
  return code.insert(code.find("  mov.f64 %d1"), lines);
}

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

TEST_CASE("lines of a lane's own that L2 loses come from memory once more, after a longer wait") {
  Setting setting;
  setting.stride = 32;
  // A second stream goes through the array, so that a share of one line loses the first's.
  std::string code = sums;
  code.insert(code.find("  fma.rn"), "  ld.global.f64 %d3, [%rd5+131072];\n");
  const ThreadWork kept = setting.work(code.c_str());
  setting.shares = {128, 128};
  const ThreadWork lost = setting.work(code.c_str());
  // Ten elements of eight bytes lie in two blocks of 64 bytes: eight accesses find theirs lost.
  CHECK(lost.dram_bytes == Approx(kept.dram_bytes + 2 * 8 * 64));
  CHECK(lost.l2_bytes > kept.l2_bytes);
  CHECK(lost.wait > kept.wait + 8 * 400);
  // L2 holds what only L1 has lost.
  setting.shares.l2 = HUGE_VAL;
  CHECK(setting.work(code.c_str()).dram_bytes == Approx(kept.dram_bytes));
  // Side by side, other lanes may have fetched the line.
  setting.stride = 1;
  const double together = setting.work(code.c_str()).dram_bytes;
  setting.shares.l2 = 128;
  CHECK(setting.work(code.c_str()).dram_bytes == Approx(together));
}

TEST_CASE("nothing is moved across a division with a slow path") {
  Setting setting;
  const auto wait = [&](const std::string& lines) {
    return setting.work(with("  mov.f64 %d3, 0d4000000000000000;\n" + lines).c_str()).wait;
  };
  const auto two = [](const std::string& word) {
    return "  " + word + " %d4, %d3, %d3;\n  " + word + " %d2, %d3, %d3;\n";
  };
  const auto one = [](const std::string& word) { return "  " + word + " %d4, %d3, %d3;\n"; };
  CHECK(wait(two("div.rn.f64")) - wait(one("div.rn.f64")) > 60);
  CHECK(wait(two("mul.f64")) - wait(one("mul.f64")) < 8);
}

TEST_CASE("what a walk cannot follow ends it with words") {
  Setting setting;
  CHECK_THROWS_WITH(setting.work(sums, "other"), Catch::Contains("no kernel other"));
  std::string other = sums;
  other.replace(other.find("%d2, %d2"), 3, "dd2");
  CHECK_THROWS_WITH(PtxWalk(other), Catch::Contains("unknown instruction of PTX \"dd2\""));
  // A hundred million steps, the cheapest there are.
  const std::string endless = with("$here:\n  bra.uni $here;\n");
  CHECK_THROWS_WITH(setting.work(endless.c_str()), Catch::Contains("a thread of sums is too long"));
}

TEST_CASE("an unknown instruction costs one slot, and is said") {
  Setting setting;
  const double before = setting.work().issued;
  const std::string code = with("  brkpt.x.f64 %d3, %d1, 1;\n  mov.u32 %r8, %clock;\n");
  CHECK(setting.work(code.c_str()).issued == before + 1);
  CHECK(PtxWalk(code).unknown() == TextSet{"brkpt.x.f64", "%clock"});
  CHECK(PtxWalk(sums).unknown().empty());
}

TEST_CASE("bits are inserted, permuted and shifted as on a card") {
  Setting setting;
  // The number of rounds: 0x0000000a is what a thread reads.
  const auto rounds = [&](const std::string& lines) {
    return setting.work(with(lines).c_str()).fp64 / 2;
  };
  CHECK(rounds("  bfi.b32 %r7, 1, %r7, 4, 2;\n") == 0x1a);
  CHECK(rounds("  bfi.b32 %r7, 1, %r7, 0, 1;\n") == 0xb);
  CHECK(rounds("  bfi.b32 %r7, 7, %r7, 3, 0;\n") == 0xa);
  CHECK(rounds("  prmt.b32 %r7, %r7, 0, 0x5440;\n") == 0xa);
  CHECK(rounds("  mov.u32 %r8, 0x12000000;\n  shf.l.wrap.b32 %r7, %r8, 0, 8;\n") == 0x12);
  CHECK(rounds("  shf.r.wrap.b32 %r7, %r7, 0, 1;\n") == 5);
  CHECK(rounds("  brev.b32 %r8, %r7;\n  shr.u32 %r7, %r8, 28;\n") == 5);
}

TEST_CASE("a function costs what its instructions cost, and a product of matrices its shape") {
  Setting setting;
  const ThreadWork before = setting.work();
  const std::string function = R"(
.func (.param .b64 result) cube(.param .b64 x)
{
  .reg .f64 %f<4>;
  ld.param.f64 %f1, [x];
  mul.f64 %f2, %f1, %f1;
  mul.f64 %f3, %f2, %f1;
  st.param.f64 [result], %f3;
  ret;
}
)";
  std::string code = with(
      "  {\n  .param .b64 p0;\n  .param .b64 r0;\n  st.param.f64 [p0], %d1;\n"
      "  call.uni (r0), cube, (p0);\n  ld.param.f64 %d3, [r0];\n  }\n");
  code.insert(code.find(".visible"), function);
  CHECK(setting.work(code.c_str()).fp64 == before.fp64 + 2);
  CHECK(PtxWalk(code).unknown().empty());
  code.replace(code.find("cube, (p0)"), 4, "quad");
  CHECK(setting.work(code.c_str()).fp64 == before.fp64);
  CHECK(PtxWalk(code).unknown() == TextSet{"call quad"});
  const std::string product = with(
      "  mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, "
      "{%r1,%r2}, {%r1,%r2,%r3,%r4};\n");
  CHECK(setting.work(product.c_str()).tensor == 2 * 16 * 8 * 8 / 32);
}

TEST_CASE("sums in shared memory are loops, those in L2 are counted apart") {
  Setting setting;
  const ThreadWork before = setting.work();
  const ThreadWork shared = setting.work(with("  red.shared.add.f64 [%r4], %d1;\n").c_str());
  CHECK(shared.l1_cycles == Approx(before.l1_cycles + 0.75));
  CHECK(shared.issued == before.issued + 8);
  const ThreadWork global = setting.work(with("  red.global.add.f64 [%rd5], %d1;\n").c_str());
  // A lane's eight bytes of a line.
  CHECK(global.l2_atomics == Approx(0.0625));
  CHECK(global.l2_bytes == Approx(before.l2_bytes));
}

TEST_CASE("a copy to shared memory takes L2, memory and a store, and arrives") {
  Setting setting;
  const ThreadWork before = setting.work();
  const ThreadWork copied = setting.work(
      with("  mov.u32 %r8, 0;\n  cp.async.ca.shared.global [%r8+8], [%rd5+65536], 8;\n").c_str());
  CHECK(copied.l2_bytes == Approx(before.l2_bytes + 8));
  CHECK(copied.dram_bytes == Approx(before.dram_bytes + 8));
  CHECK(copied.l1_cycles > before.l1_cycles + 2.0 / 32);
  const std::string rounds =
      "  mov.u32 %r8, 0;\n  mov.u32 %r7, 1;\n  cp.async.ca.shared.global [%r8+8], [%rd2], 4;\n"
      "  cp.async.wait_all;\n  ld.shared.u32 %r7, [%r8+8];\n";
  CHECK(setting.work(with(rounds).c_str()).fp64 == before.fp64);
}

TEST_CASE("an array comes from memory once, however often its bytes pass L2") {
  Setting setting;
  // 8 blocks of 128 threads: each reads ten elements beside its neighbours' ten, and writes one.
  const double elements = setting.work().dram_bytes * 8 * 128 / 8;
  CHECK(elements > 2 * 1024);
  CHECK(elements < 12 * 1024);
  setting.array_bytes = 2048;
  CHECK(setting.work().dram_bytes * 8 * 128 == Approx(2 * 2048 + sizeof setting.rounds));
}
