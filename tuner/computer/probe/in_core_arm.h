// The in-core micro-kernels in AArch64 assembly: NEON, and SVE with 256 and 512 bits. No Arm
// processor has timed them: under qemu the results are right, times mean nothing.
#pragma once
#include "probe/in_core_mix.h"

namespace rooftune::probe {

/// How many chains have registers beside both operands.
constexpr int most_chains(int) { return 24; }
/// NEON multiplies into the addend only.
constexpr bool accumulates(int bits) { return bits == 128; }

/// Whether the CPU's vectors have so many bits: SVE vectors have one length.
inline bool has_vectors(const CpuFeatures& features, int bits) {
  return features.simd_bits == bits;
}

/// A mix on vectors of `Bits`: 64 for one element, 128 by NEON, more by SVE, whose length must
/// match. The assembler unrolls: `.irp r` names the chains, `.if` keeps the first `ilp`. Among
/// every `period` neighbours, the `firsts` take the mix's first step and the others its second; the
/// pattern moves on by one in each pass, so each chain gets both.
template <Element Type, int Bits, Mix Which, int Ilp>
void vectors(int64_t iterations, InCoreOperands& operands) {
  constexpr InCoreMix mix = mixes[int(Which)];
  constexpr bool floating = Type <= Element::fp32, mixed = mix.fused > 0 && mix.parts > 1;
  asm volatile(
      R"(
    .arch_extension sve
    // 64 bytes of the operands, by their number.
    .macro rt_move op, r, number
      .if %c[bits] > 128
        \op z\r, [%[o], #\number*512/%c[bits], mul vl]
      .else
        \op q\r, [%[o], #\number*64]
      .endif
    .endm
    // A step of chain r with another register; elements are named e, all of a vector `all`.
    .macro rt_one e, step, other, r
      .if \step == 0
        fmadd \e\r, \e\r, \e\()30, \e\()31
      .elseif \step == 1
        fadd \e\r, \e\r, \e\other
      .elseif \step == 2
        fmul \e\r, \e\r, \e\other
      .elseif \step == 3
        fdiv \e\r, \e\r, \e\other
      .else
        fsqrt \e\r, \e\r
      .endif
    .endm
    .macro rt_short all, step, other, r
      .if \step == 0
        fmla v\r\().\all, v30.\all, v31.\all
      .elseif \step == 1 && %c[floating]
        fadd v\r\().\all, v\r\().\all, v\other\().\all
      .elseif \step == 1
        add v\r\().\all, v\r\().\all, v\other\().\all
      .elseif \step == 2 && %c[floating]
        fmul v\r\().\all, v\r\().\all, v\other\().\all
      .elseif \step == 2 && %c[type] == 2
        umull v\r\().2d, v\r\().2s, v\other\().2s
      .elseif \step == 2
        mul v\r\().\all, v\r\().\all, v\other\().\all
      .elseif \step == 3
        fdiv v\r\().\all, v\r\().\all, v\other\().\all
      .elseif \step == 4
        fsqrt v\r\().\all, v\r\().\all
      .elseif \step == 5
        shl v\r\().\all, v\r\().\all, #1
      .else
        cmeq v\r\().\all, v\r\().\all, v\other\().\all
      .endif
    .endm
    .macro rt_long e, step, other, r
      .if \step == 0
        fmad z\r\().\e, p0/m, z30.\e, z31.\e
      .elseif \step == 1 && %c[floating]
        fadd z\r\().\e, z\r\().\e, z\other\().\e
      .elseif \step == 1
        add z\r\().\e, z\r\().\e, z\other\().\e
      .elseif \step == 2 && %c[floating]
        fmul z\r\().\e, z\r\().\e, z\other\().\e
      .elseif \step == 2
        mul z\r\().\e, p0/m, z\r\().\e, z\other\().\e
      .elseif \step == 3
        fdiv z\r\().\e, p0/m, z\r\().\e, z\other\().\e
      .elseif \step == 4
        fsqrt z\r\().\e, p0/m, z\r\().\e
      .elseif \step == 5
        lsl z\r\().\e, z\r\().\e, #1
      .else
        cmpeq p1.\e, p0/z, z\r\().\e, z\other\().\e
      .endif
    .endm
    .macro rt_step e, all, step, other, r
      .if %c[bits] > 128
        rt_long \e, \step, \other, \r
      .elseif %c[bits] > 64
        rt_short \all, \step, \other, \r
      .else
        rt_one \e, \step, \other, \r
      .endif
    .endm
    .macro rt_next turn
      .set \turn, \turn + 1
      .if \turn == %c[period]
        .set \turn, 0
      .endif
    .endm
    .macro rt_kernel e, all
      .if %c[bits] > 128
        ptrue p0.\e
      .endif
      rt_move ldr, 30, 0
      rt_move ldr, 31, 1
      .irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23
        .if \r < %c[ilp]
          rt_move ldr, \r, (2+\r)
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
              rt_step \e, \all, %c[first], 30, \r
            .else
              rt_step \e, \all, %c[second], %c[other], \r
            .endif
            rt_next .Lrt_turn
          .endif
        .endr
        rt_next .Lrt_pass
      .endr
      subs %[n], %[n], #1
      b.ne 1b
      .irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23
        .if \r < %c[ilp]
          rt_move str, \r, (2+\r)
        .endif
      .endr
    .endm
    .if %c[type] == 4
      rt_kernel b, 16b
    .elseif %c[type] & 1
      rt_kernel s, 4s
    .else
      rt_kernel d, 2d
    .endif
    .irp name,rt_move,rt_one,rt_short,rt_long,rt_step,rt_next,rt_kernel
      .purgem \name
    .endr
  )"
      : [n] "+r"(iterations)
      : [o] "r"(&operands), [bits] "i"(Bits), [type] "i"(int(Type)), [floating] "i"(floating),
        [ilp] "i"(Ilp), [passes] "i"(instructions_for(Ilp) / Ilp), [first] "i"(int(mix.first)),
        [second] "i"(int(mix.second)), [period] "i"(mix.parts),
        [firsts] "i"(std::max(mix.fused, 1)), [other] "i"(mixed ? 30 : 31)
      : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",
        "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v30",
        "v31", "p0", "p1");
}

/// Six registers; each pass takes a step on each of the first `Ilp`.
template <ScalarStep Step, int Ilp>
void scalars(int64_t iterations, InCoreOperands&) {
  asm volatile(R"(
      mov x8, #5
      .p2align 6
    1:
      .rept %c[passes]
        .irp r,9,10,11,12,13,14
          .if \r < 9 + %c[ilp]
            .if %c[step] == 0
              add x\r, x\r, x8
            .elseif %c[step] == 1
              lsl x\r, x\r, #1
            .elseif %c[step] == 2
              mul x\r, x\r, x8
            .elseif %c[step] == 3
              cmp x\r, x8
            .elseif \r & 1
              mov x\r, x8
            .else
              mov v\r\().16b, v0.16b
            .endif
          .endif
        .endr
      .endr
      subs %[n], %[n], #1
      b.ne 1b
  )"
               : [n] "+r"(iterations)
               : [step] "i"(int(Step)), [ilp] "i"(Ilp), [passes] "i"(48 / Ilp)
               : "cc", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "v10", "v12", "v14");
}

}  // namespace rooftune::probe
