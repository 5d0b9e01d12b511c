// The bandwidth micro-kernels in AArch64 assembly: NEON, and SVE with 256 and 512 bits. No Arm
// processor has timed them: under qemu the results are right, times mean nothing.
#pragma once
#include "probe/memory_kernels.h"

namespace rooftune::probe {

/// The streams' widest vectors.
inline int stream_bits(const CpuFeatures& features) { return features.simd_bits; }

/// x8, x9, x10 walk the arrays a, b, c in steps of 16 vectors; x11 is where a ends. Register 31 has
/// the value to store, or the factor. NEON moves pairs.
template <int Bits, StreamMix Mix, bool NonTemporal>
void stream(StreamArguments& arguments) {
  int64_t passes = arguments.passes;
  asm volatile(
      R"(
    .arch_extension sve
    // Vectors r and next of an array.
    .macro rt_move op, r, next, array, number
      .if %c[bits] > 128
        \op\()r z\r, [\array, #\number, mul vl]
        \op\()r z\next, [\array, #\number+1, mul vl]
      .else
        \op\()p q\r, q\next, [\array, #16*(\number)]
      .endif
    .endm
    // x12 is the middle of the step, as far as offsets of SVE's stores past the caches reach.
    .macro rt_store r, next, number
      .if %c[past] && %c[bits] > 128
        stnt1d {z\r\().d}, p0, [x12, #\number-8, mul vl]
        stnt1d {z\next\().d}, p0, [x12, #\number-7, mul vl]
      .elseif %c[past]
        stnp q\r, q\next, [x8, #16*(\number)]
      .else
        rt_move st, \r, \next, x8, \number
      .endif
    .endm
    .macro rt_scaled r, by
      .if %c[bits] > 128
        fmul z\r\().d, z\by\().d, z31.d
      .else
        fmul v\r\().2d, v\by\().2d, v31.2d
      .endif
    .endm
    .macro rt_added r, by
      .if %c[bits] > 128
        fmla z\r\().d, p0/m, z\by\().d, z31.d
      .else
        fmla v\r\().2d, v\by\().2d, v31.2d
      .endif
    .endm
    .macro rt_vectors r, next
      .if %c[mix] == 0
        rt_move ld, \r, \next, x8, \r
      .elseif %c[mix] == 1
        rt_store 31, 31, \r
      .elseif %c[mix] == 2
        rt_move ld, \r, \next, x9, \r
        rt_store \r, \next, \r
      .elseif %c[mix] == 3
        rt_move ld, 16, 17, x10, \r
        rt_move ld, \r, \next, x9, \r
        rt_added \r, 16
        rt_added \next, 17
        rt_store \r, \next, \r
      .elseif %c[mix] == 4
        rt_move ld, \r, \next, x8, \r
        rt_scaled \r, \r
        rt_scaled \next, \next
        rt_store \r, \next, \r
      .else
        rt_move ld, \r, \next, x10, \r
        rt_move ld, 16, 17, x9, \r
        rt_store \r, \next, \r
      .endif
    .endm
    .macro rt_pairs
      rt_vectors 0, 1
      rt_vectors 2, 3
      rt_vectors 4, 5
      rt_vectors 6, 7
      rt_vectors 8, 9
      rt_vectors 10, 11
      rt_vectors 12, 13
      rt_vectors 14, 15
    .endm
    .if %c[bits] > 128
      ptrue p0.d
      ldr z31, [%[s], #64*8/%c[bits], mul vl]
    .else
      ldr q31, [%[s], #64]
    .endif
    2:
      ldp x8, x9, [%[s]]
      ldp x10, x11, [%[s], #16]
      add x11, x11, x8
      .p2align 6
    1:
      .if %c[past]
        add x12, x8, #%c[bits]
      .endif
      rt_pairs
      .if %c[arrays] > 1
        add x9, x9, #2*%c[bits]
      .endif
      .if %c[arrays] > 2
        add x10, x10, #2*%c[bits]
      .endif
      add x8, x8, #2*%c[bits]
      cmp x8, x11
      b.lo 1b
      subs %[n], %[n], #1
      b.ne 2b
      .if %c[mix] == 0
        ldr x8, [%[s], #128]
        .irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
          .if %c[bits] > 128
            str z\r, [x8, #\r, mul vl]
          .else
            str q\r, [x8, #16*\r]
          .endif
        .endr
      .endif
    .irp name,rt_move,rt_store,rt_scaled,rt_added,rt_vectors,rt_pairs
      .purgem \name
    .endr
  )"
      : [n] "+r"(passes)
      : [s] "r"(&arguments), [bits] "i"(Bits), [mix] "i"(int(Mix)), [arrays] "i"(arrays_of(Mix)),
        [past] "i"(NonTemporal)
      : "cc", "memory", "x8", "x9", "x10", "x11", "x12", "v0", "v1", "v2", "v3", "v4", "v5", "v6",
        "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v31", "p0");
}

#define ROOFTUNE_X2_TO_X17                                                                         \
  "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", \
      "x17"

template <int Stride>
uint64_t strided(const void* base, int64_t groups, int64_t phases, int64_t passes) {
  uint64_t sum = 0;
  asm volatile(R"(
    3:
      mov x14, %[base]
      mov x13, %[phases]
    2:
      mov x10, x14
      mov x11, %[groups]
      .p2align 6
    1:
      .irp r,2,3,4,5,6,7,8,9
        ldr x\r, [x10, #(\r-2)*%c[stride]]
      .endr
      add x10, x10, #8*%c[stride]
      subs x11, x11, #1
      b.ne 1b
      add x14, x14, #64
      subs x13, x13, #1
      b.ne 2b
      subs %[passes], %[passes], #1
      b.ne 3b
      mov %[sum], x2
      .irp r,3,4,5,6,7,8,9
        add %[sum], %[sum], x\r
      .endr
  )"
               : [passes] "+&r"(passes), [sum] "=&r"(sum)
               : [base] "r"(base), [groups] "r"(groups), [phases] "r"(phases), [stride] "i"(Stride)
               : "cc", "memory", ROOFTUNE_X2_TO_X17);
  return sum;
}

template <int Misses>
void chase(int64_t steps, void** heads) {
  int64_t left = steps / chase_unroll;
  asm volatile(R"(
      .irp r,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17
        .if \r-2 < %c[misses]
          ldr x\r, [%[heads], #(\r-2)*8]
        .endif
      .endr
      .p2align 6
    1:
      .rept 4
        .irp r,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17
          .if \r-2 < %c[misses]
            ldr x\r, [x\r]
          .endif
        .endr
      .endr
      subs %[n], %[n], #1
      b.ne 1b
      .irp r,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17
        .if \r-2 < %c[misses]
          str x\r, [%[heads], #(\r-2)*8]
        .endif
      .endr
  )"
               : [n] "+&r"(left)
               : [heads] "r"(heads), [misses] "i"(Misses)
               : "cc", "memory", ROOFTUNE_X2_TO_X17);
}

}  // namespace rooftune::probe
