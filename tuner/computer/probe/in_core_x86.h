// The in-core micro-kernels in x86-64 assembly.
#pragma once
#include "probe/in_core_mix.h"

namespace rooftune::probe {

/// How many chains have registers beside both operands.
constexpr int most_chains(int bits) { return bits == 512 ? 24 : 15; }
constexpr bool accumulates(int) { return false; }

#if defined(__AVX512F__)
#define ROOFTUNE_HIGH_REGISTERS                                                               \
  , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", \
      "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31"
#else
#define ROOFTUNE_HIGH_REGISTERS
#endif

/// Whether the CPU has vectors with so many bits, beyond the 128 that every x86-64 has.
inline bool has_vectors(const CpuFeatures& features, int bits) {
  return bits == 512 ? features.avx512 : bits == 256 && features.avx2;
}

/// A mix on vectors of `Bits`, 64 for one element. The assembler unrolls: `.irp r` names the
/// chains, `.if` keeps the first `ilp`. Among every `period` neighbours, the `firsts` take the
/// mix's first step and the others its second; the pattern moves on by one in each pass, so each
/// chain gets both. 128-bit vectors without multiply-adds run on every x86-64; the others need AVX.
template <Element Type, int Bits, Mix Which, int Ilp>
void vectors(int64_t iterations, InCoreOperands& operands) {
  constexpr InCoreMix mix = mixes[int(Which)];
  constexpr bool floating = Type <= Element::fp32, mixed = mix.fused > 0 && mix.parts > 1;
  // Mixed with other instructions, multiply-adds keep more chains in flight than 16 registers hold
  // beside both operands: d stays in memory.
  constexpr bool high = floating && Bits == 512, spilled = mixed && !high;
  constexpr int c = high ? 30 : spilled ? 15 : 14, d = high ? 31 : spilled || !floating ? 14 : 15;
  asm volatile(
      R"(
    .macro rt_move from, to
      .if %c[vex]
        vmovups \from, \to
      .else
        movups \from, \to
      .endif
    .endm
    .macro rt_real op, operands:vararg
      .if %c[bits] == 64 && %c[type] == 0
        \op\()sd \operands
      .elseif %c[bits] == 64
        \op\()ss \operands
      .elseif %c[type] == 0
        \op\()pd \operands
      .else
        \op\()ps \operands
      .endif
    .endm
    .macro rt_reals op, from, to
      .if %c[vex]
        rt_real v\op, \from, \to, \to
      .else
        rt_real \op, \from, \to
      .endif
    .endm
    .macro rt_whole of_64, of_32, of_8, operands:vararg
      .if %c[type] == 2
        \of_64 \operands
      .elseif %c[type] == 3
        \of_32 \operands
      .else
        \of_8 \operands
      .endif
    .endm
    # A step of chain r with another register; v begins the names of both.
    .macro rt_step v, step, other, r
      .if \step == 0 && %c[spilled]
        rt_real vfmadd213, 64(%[o]), %%\v\()%c[c], %%\v\r
      .elseif \step == 0
        rt_real vfmadd213, %%\v\()%c[d], %%\v\()%c[c], %%\v\r
      .elseif \step == 1 && %c[type] > 1
        rt_whole vpaddq, vpaddd, vpaddb, %%\v\other, %%\v\r, %%\v\r
      .elseif \step == 1
        rt_reals add, %%\v\other, %%\v\r
      .elseif \step == 2 && %c[type] > 1
        rt_whole vpmuludq, vpmulld, vpmullw, %%\v\other, %%\v\r, %%\v\r
      .elseif \step == 2
        rt_reals mul, %%\v\other, %%\v\r
      .elseif \step == 3
        rt_reals div, %%\v\other, %%\v\r
      .elseif \step == 4 && %c[vex]
        rt_real vsqrt, %%\v\r, %%\v\r
      .elseif \step == 4
        rt_real sqrt, %%\v\r, %%\v\r
      .elseif \step == 5
        rt_whole vpsllq, vpslld, vpsllw, $1, %%\v\r, %%\v\r
      .elseif %c[bits] == 512
        rt_whole vpcmpeqq, vpcmpeqd, vpcmpeqb, %%\v\other, %%\v\r, %%k1
      .else
        rt_whole vpcmpeqq, vpcmpeqd, vpcmpeqb, %%\v\other, %%\v\r, %%\v\r
      .endif
    .endm
    .macro rt_next turn
      .set \turn, \turn + 1
      .if \turn == %c[period]
        .set \turn, 0
      .endif
    .endm
    .macro rt_kernel v
      rt_move (%[o]), %%\v\()%c[c]
      rt_move 64(%[o]), %%\v\()%c[d]
      .irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23
        .if \r < %c[ilp]
          rt_move 128+64*\r(%[o]), %%\v\r
        .endif
      .endr
      .p2align 6
    1:
      .set .Lrt_pass, 0
      .rept %c[passes]
        .set .Lrt_turn, .Lrt_pass
        .irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23
          .if \r < %c[ilp]
            .if .Lrt_turn < %c[firsts]
              rt_step \v, %c[first], %c[c], \r
            .else
              rt_step \v, %c[second], %c[other], \r
            .endif
            rt_next .Lrt_turn
          .endif
        .endr
        rt_next .Lrt_pass
      .endr
      dec %[n]
      jnz 1b
      .irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23
        .if \r < %c[ilp]
          rt_move %%\v\r, 128+64*\r(%[o])
        .endif
      .endr
      .if %c[vex]
        vzeroupper
      .endif
    .endm
    .if %c[bits] == 512
      rt_kernel zmm
    .elseif %c[bits] == 256
      rt_kernel ymm
    .else
      rt_kernel xmm
    .endif
    .irp name,rt_move,rt_real,rt_reals,rt_whole,rt_step,rt_next,rt_kernel
      .purgem \name
    .endr
  )"
      : [n] "+r"(iterations)
      : [o] "r"(&operands), [bits] "i"(Bits), [type] "i"(int(Type)), [ilp] "i"(Ilp),
        [passes] "i"(instructions_for(Ilp) / Ilp), [first] "i"(int(mix.first)),
        [second] "i"(int(mix.second)), [period] "i"(mix.parts),
        [firsts] "i"(std::max(mix.fused, 1)), [c] "i"(c), [d] "i"(d), [other] "i"(mixed ? c : d),
        [spilled] "i"(spilled), [vex] "i"(Bits > 128 || mix.fused > 0)
      : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
        "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15" ROOFTUNE_HIGH_REGISTERS);
}

/// Six registers; each pass takes a step on each of the first `Ilp`.
template <ScalarStep Step, int Ilp>
void scalars(int64_t iterations, InCoreOperands&) {
  asm volatile(R"(
      mov $5, %%eax
      .p2align 6
    1:
      .rept %c[passes]
        .irp r,8,9,10,11,12,13
          .if \r < 8 + %c[ilp]
            .if %c[step] == 0
              add %%rax, %%r\r
            .elseif %c[step] == 1
              shl $1, %%r\r
            .elseif %c[step] == 2
              imul %%rax, %%r\r
            .elseif %c[step] == 3
              cmp %%rax, %%r\r
            .elseif \r & 1
              mov %%rax, %%r\r
            .else
              movaps %%xmm0, %%xmm\r
            .endif
          .endif
        .endr
      .endr
      dec %[n]
      jnz 1b
  )"
               : [n] "+r"(iterations)
               : [step] "i"(int(Step)), [ilp] "i"(Ilp), [passes] "i"(48 / Ilp)
               : "cc", "rax", "r8", "r9", "r10", "r11", "r12", "r13", "xmm8", "xmm10", "xmm12");
}

}  // namespace rooftune::probe
