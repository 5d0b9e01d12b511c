// What instructions do, and how a trace is woven around them.
#include "instrumentation/effect.h"

#include <catch2/catch.hpp>

#include "core/error.h"
#include "instrumentation/dependence.h"
#include "instrumentation/instruction.h"
#include "instrumentation/trace.h"
#include "instrumentation/weaving.h"

using namespace rooftune;
using Catch::Contains;

namespace {

Effect effect(const std::string& line) { return effect_of(*parse_instruction(line)); }

/// "load 8", "store 32", "load 8 store 8": what an instruction does to memory.
std::string accesses(const std::string& line) {
  static const char* const names[] = {"load", "store", "stream", "prefetch"};
  const Effect all = effect(line);
  std::string text;
  for (const Access& access : all.accesses)
    text += (text.empty() ? "" : " ") + std::string(names[static_cast<int>(access.kind)]) + " " +
            std::to_string(access.bytes);
  return all.unknown ? text + "?" : text;
}

std::string operations(const std::string& line) {
  std::string text;
  for (const Operations& one : effect(line).operations)
    text += one.precision + " " + one.kind + " " + std::to_string(one.lanes);
  return text;
}

}  // namespace

TEST_CASE("memory operands have the bytes that the instruction moves") {
  struct Row {
    const char *line, *expected;
  };
  const Row rows[] = {{"movq 8(%rsp), %rax", "load 8"},
                      {"movl %eax, (%rdi,%rax,4)", "store 4"},
                      {"movzbl (%rdi), %eax", "load 1"},
                      {"movslq (%rdi,%rcx,4), %rdx", "load 4"},
                      {"cmovg 4(%rdi), %eax", "load 4"},
                      {"sete (%rdi)", "store 1"},
                      {"addq $1, (%rax)", "load 8 store 8"},
                      {"lock addl %eax, (%rdx)", "load 4 store 4"},
                      {"cmpq %rax, (%rdx)", "load 8"},
                      {"lock cmpxchgq %rcx, (%rdx)", "load 8 store 8"},
                      {"salq $3, (%rax)", "load 8 store 8"},
                      {"leaq 8(%rax), %rcx", ""},
                      {"nopw 0(%rax,%rax,1)", ""},
                      {"jmp *.L4(,%rax,8)", ""},
                      {"vmovupd (%rax), %zmm0", "load 64"},
                      {"vmovapd %ymm0, (%rax)", "store 32"},
                      {"movsd (%rax), %xmm0", "load 8"},
                      {"vmovsd %xmm1, 8(%rax)", "store 8"},
                      {"vmovss (%rax), %xmm0", "load 4"},
                      {"vmovq (%rax), %xmm0", "load 8"},
                      {"vmovntpd %zmm0, (%rax)", "stream 64"},
                      {"movntiq %rax, (%rdi)", "stream 8"},
                      {"vaddpd (%rax){1to8}, %zmm1, %zmm2", "load 8"},
                      {"vbroadcastsd (%rax), %zmm0", "load 8"},
                      {"vmovddup (%rax), %xmm0", "load 8"},
                      {"vfmadd231sd (%rax), %xmm1, %xmm2", "load 8"},
                      {"vucomisd (%rax), %xmm0", "load 8"},
                      {"vcmppd $1, (%rax), %zmm1, %k1", "load 64"},
                      {"vextractf64x4 $1, %zmm0, (%rax)", "store 32"},
                      {"vinsertf128 $1, (%rax), %ymm0, %ymm1", "load 16"},
                      {"vpmovsxdq (%rax), %zmm0", "load 32"},
                      {"vpmovqd %zmm0, (%rax)", "store 32"},
                      {"vcvtdq2pd (%rax), %zmm0", "load 32"},
                      {"vcvtsi2sdl (%rax), %xmm0, %xmm0", "load 4"},
                      {"prefetcht0 512(%rax)", "prefetch 1"},
                      {"movq foo(%rip), %rax", "load 8"},
                      {"movq %fs:40, %rax", ""},
                      {"vpaddd (%rax), %ymm0, %ymm0", "load 32"}};
  for (const Row& row : rows) {
    INFO(row.line);
    CHECK(accesses(row.line) == row.expected);
  }
}

TEST_CASE("operations have kind, precision and lanes") {
  struct Row {
    const char *line, *expected;
  };
  const Row rows[] = {{"vfmadd213pd (%rax), %zmm1, %zmm0", "fp64 fma 8"},
                      {"vfnmsub132sd %xmm0, %xmm1, %xmm2", "fp64 fma 1"},
                      {"vaddpd %ymm0, %ymm1, %ymm2", "fp64 add 4"},
                      {"subps %xmm0, %xmm1", "fp32 add 4"},
                      {"vmulss (%rax), %xmm0, %xmm0", "fp32 mul 1"},
                      {"divsd %xmm0, %xmm1", "fp64 div 1"},
                      {"vsqrtpd %zmm0, %zmm1", "fp64 sqrt 8"},
                      {"vmaxpd %zmm0, %zmm1, %zmm2", "fp64 minmax 8"},
                      {"vrsqrt14ps %zmm0, %zmm1", "fp32 other 16"},
                      {"vaddph %zmm0, %zmm1, %zmm2", "fp16 add 32"},
                      {"faddp", "fp80 add 1"},
                      {"vmovapd %zmm0, %zmm1", ""},
                      {"vcmppd $1, %zmm0, %zmm1, %k1", ""},
                      {"vcvtdq2pd %ymm0, %zmm1", ""},
                      {"vpaddq %zmm0, %zmm1, %zmm2", ""},
                      {"vxorpd %xmm0, %xmm0, %xmm0", ""},
                      {"addq $8, %rax", ""}};
  for (const Row& row : rows) {
    INFO(row.line);
    CHECK(operations(row.line) == row.expected);
  }
}

TEST_CASE("masks, gathers and scatters keep what decides their lanes") {
  const Access masked = effect("vmovupd (%rax), %zmm0{%k2}{z}").accesses.at(0);
  CHECK(masked.mask == "%k2");
  CHECK(masked.element == 8);
  const Access gather = effect("vgatherqpd 16(%rax,%zmm1,8), %zmm0{%k3}").accesses.at(0);
  CHECK(gather.operand == "16(%rax)");
  CHECK(gather.indices == "%zmm1");
  CHECK(gather.mask == "%k3");
  CHECK((gather.lanes == 8 && gather.scale == 8 && gather.index_bytes == 8));
  const Access narrow = effect("vgatherdpd (%rdi,%xmm1,8), %ymm0{%k1}").accesses.at(0);
  CHECK((narrow.lanes == 4 && narrow.index_bytes == 4 && narrow.element == 8));
  const Access old = effect("vgatherqpd %ymm2, (%rax,%ymm1,8), %ymm0").accesses.at(0);
  CHECK(old.mask == "%ymm2");
  CHECK(effect("vaddpd %zmm0, %zmm1, %zmm2{%k1}").operations.at(0).mask == "%k1");
  CHECK(effect("tdpbf16ps %tmm0, %tmm1, %tmm2").unknown);
}

TEST_CASE("a trace is woven around blocks, operands move with the stack pointer") {
  const std::string text = counting_assembly(
      "\t.text\n"
      "f:\n"
      "\tmovq\t-8(%rsp), %rax\n"
      ".L2:\n"
      "\tvaddsd\t(%rax), %xmm0, %xmm0\n"
      "\tlock; addl $1, 4(%rax)\n"
      "\tjne\t.L2\n"
      "\tcall\tmemcpy@PLT\n"
      "\tret\n"
      "\t.section\t.rodata\n"
      "t:\n"
      "\t.string \"mov # ; (%rax):\"\n");
  CHECK_THAT(text, Contains("leaq\t136(%rsp), %rax\n"));
  CHECK_THAT(text, Contains("\tmovq\t%rax, -8(%rcx)\n"));
  const std::string load = R"({\"kind\":\"load\",\"bytes\":8})", block = R"({\"instructions\":)";
  CHECK_THAT(text, Contains(block + R"(1,\"words\":2,\"steps\":[)" + load + "]}"));
  CHECK_THAT(text, Contains(block + R"(3,\"words\":4,\"steps\":[)" + load +
                            R"(,{\"kind\":\"load\",\"bytes\":4},{\"kind\":\"store\",\"bytes\":4}],)"
                            R"(\"operations\":[[0,1],[1,1]],\"chain\":[[0,1]]})"));
  CHECK_THAT(text, Contains(block + R"(1,\"words\":4,\"steps\":[{\"kind\":\"copy\"}]})"));
  CHECK_THAT(text, Contains(R"(\"operations\":[[\"fp64\",\"add\"],[\"int64\",\"add\"]])"));
  CHECK_THAT(text, Contains("\tlock addl $1, 4(%rax)\n"));
  CHECK_THAT(text, Contains("\t.string \"mov # ; (%rax):\"\n"));
  CHECK_THROWS_WITH(counting_assembly("\t.intel_syntax noprefix\n"), Contains("Intel syntax"));
  CHECK_THROWS_WITH(counting_assembly("\t.text\n"), Contains("no code"));
}

TEST_CASE("operations of whole numbers have kind, width and lanes") {
  const auto integers = [](const std::string& line) {
    std::string text;
    for (const Operations& one : effect(line).integers)
      text += one.precision + " " + one.kind + " " + std::to_string(one.lanes);
    return text;
  };
  CHECK(integers("addq $8, %rax") == "int64 add 1");
  CHECK(integers("imull %edx, %eax") == "int64 mul 1");
  CHECK(integers("shrq $7, %rax") == "int64 shift 1");
  CHECK(integers("sarx %rcx, %rdx, %rax") == "int64 shift 1");
  CHECK(integers("cmpq %rdx, %rax") == "int64 compare 1");
  CHECK(integers("vpaddq %zmm1, %zmm2, %zmm3") == "int64 add in vectors 8");
  CHECK(integers("vpmulld %ymm1, %ymm2, %ymm3") == "int32 mul in vectors 8");
  CHECK(integers("vpcmpeqb %xmm1, %xmm2, %xmm3") == "int8 compare in vectors 16");
  CHECK(integers("vpsllw $1, %xmm2, %xmm3") == "int8 shift in vectors 16");
  for (const char* none : {"movq %rax, %rdx", "vaddpd %zmm1, %zmm2, %zmm3", "jne .L2", "ret",
                           "vmovdqu (%rax), %ymm1", "vpermq $1, %ymm1, %ymm2"})
    CHECK(integers(none) == "");
}

TEST_CASE("what an iteration waits for is the longest chain of registers to the next one") {
  const auto chain = [](std::initializer_list<const char*> lines) {
    std::vector<Instruction> body;
    for (const char* line : lines) body.push_back(*parse_instruction(line));
    return longest_chain(body);
  };
  CHECK(chain({"movq (%rdi,%rax,8), %rax", "decq %rcx", "jne .L2"}) == Chain{{"loads", 1}});
  CHECK(chain({"movq 8(%rax), %rdx", "movq (%rdx), %rax"}) == Chain{{"loads", 2}});
  CHECK(chain({"mulsd %xmm1, %xmm0", "addsd (%rax), %xmm0", "addq $8, %rax"}) ==
        Chain{{"fp64 add", 1}, {"fp64 mul", 1}});
  CHECK(chain({"vfmadd231pd (%rax), %zmm1, %zmm0", "vfmadd231pd 64(%rax), %zmm1, %zmm2"}) ==
        Chain{{"fp64 fma", 1}});
  CHECK(chain({"imulq %rdx, %rax", "addq $1, %rax"}) == Chain{{"int64 add", 1}, {"int64 mul", 1}});
  // Each iteration begins anew, or only counts.
  CHECK(chain({"movsd (%rax), %xmm0", "mulsd %xmm1, %xmm0", "addq $8, %rax"}).empty());
  CHECK(chain({"movslq (%rsi,%rax,4), %rdx", "movsd (%rdi,%rdx,8), %xmm0", "incq %rax"}).empty());
  CHECK(chain({"xorl %eax, %eax", "movq (%rdi,%rax), %rax"}).empty());
  CHECK(chain({"vaddsd %xmm0, %xmm1, %xmm0", "call g"}).empty());
}
