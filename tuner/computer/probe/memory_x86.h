// The bandwidth micro-kernels in x86-64 assembly.
#pragma once
#include "probe/memory_kernels.h"

namespace rooftune::probe {

/// The streams' widest vectors.
inline int stream_bits(const CpuFeatures& features) {
  return features.avx512 ? 512 : features.avx2 && features.fma ? 256 : 128;
}

#define ROOFTUNE_XMM                                                                       \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
      "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

/// rax, rcx, rdx walk the arrays a, b, c in steps of 16 vectors; rdi is where a ends. Register 15
/// has the value to store, or the factor.
template <int Bits, StreamMix Mix, bool NonTemporal>
void stream(StreamArguments& arguments) {
  int64_t passes = arguments.passes;
  asm volatile(
      R"(
    .macro rt_move from, to
      .if %c[bits] > 128
        vmovaps \from, \to
      .else
        movaps \from, \to
      .endif
    .endm
    .macro rt_store from, to
      .if %c[past] && %c[bits] > 128
        vmovntps \from, \to
      .elseif %c[past]
        movntps \from, \to
      .else
        rt_move \from, \to
      .endif
    .endm
    # Vector r of the step; v begins the names of registers.
    .macro rt_vector v, r
      .if %c[mix] == 0
        rt_move %c[bytes]*\r(%%rax), %%\v\r
      .elseif %c[mix] == 1
        rt_store %%\v\()15, %c[bytes]*\r(%%rax)
      .elseif %c[mix] == 2
        rt_move %c[bytes]*\r(%%rcx), %%\v\r
        rt_store %%\v\r, %c[bytes]*\r(%%rax)
      .elseif %c[mix] == 3
        rt_move %c[bytes]*\r(%%rdx), %%\v\()14
        .if %c[bits] > 128
          vfmadd213pd %c[bytes]*\r(%%rcx), %%\v\()15, %%\v\()14
        .else
          mulpd %%xmm15, %%xmm14
          addpd 16*\r(%%rcx), %%xmm14
        .endif
        rt_store %%\v\()14, %c[bytes]*\r(%%rax)
      .elseif %c[mix] == 4
        .if %c[bits] > 128
          vmulpd %c[bytes]*\r(%%rax), %%\v\()15, %%\v\()14
        .else
          movaps 16*\r(%%rax), %%xmm14
          mulpd %%xmm15, %%xmm14
        .endif
        rt_store %%\v\()14, %c[bytes]*\r(%%rax)
      .else
        rt_move %c[bytes]*\r(%%rdx), %%\v\()14
        rt_move %c[bytes]*\r(%%rcx), %%\v\()13
        rt_store %%\v\()14, %c[bytes]*\r(%%rax)
      .endif
    .endm
    .macro rt_stream v
      .if %c[scalar]
        rt_move 64(%[s]), %%\v\()15
      .endif
    2:
      mov (%[s]), %%rax
      mov 8(%[s]), %%rcx
      mov 16(%[s]), %%rdx
      mov 24(%[s]), %%rdi
      add %%rax, %%rdi
      .p2align 6
    1:
      .irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        rt_vector \v, \r
      .endr
      .if %c[arrays] > 1
        add $16*%c[bytes], %%rcx
      .endif
      .if %c[arrays] > 2
        add $16*%c[bytes], %%rdx
      .endif
      add $16*%c[bytes], %%rax
      cmp %%rdi, %%rax
      jb 1b
      dec %[n]
      jnz 2b
      .if %c[mix] == 0
        mov 128(%[s]), %%rax
        .irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
          rt_move %%\v\r, %c[bytes]*\r(%%rax)
        .endr
      .endif
      .if %c[past]
        sfence
      .endif
      .if %c[bits] > 128
        vzeroupper
      .endif
    .endm
    .if %c[bits] == 512
      rt_stream zmm
    .elseif %c[bits] == 256
      rt_stream ymm
    .else
      rt_stream xmm
    .endif
    .irp name,rt_move,rt_store,rt_vector,rt_stream
      .purgem \name
    .endr
  )"
      : [n] "+r"(passes)
      : [s] "r"(&arguments), [bits] "i"(Bits), [bytes] "i"(Bits / 8), [mix] "i"(int(Mix)),
        [arrays] "i"(arrays_of(Mix)), [past] "i"(NonTemporal),
        [scalar] "i"(Mix == StreamMix::store || Mix == StreamMix::triad || Mix == StreamMix::update)
      : "cc", "memory", "rax", "rcx", "rdx", "rdi", ROOFTUNE_XMM);
}

#define ROOFTUNE_R8_TO_R15 "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"

template <int Stride>
uint64_t strided(const void* base, int64_t groups, int64_t phases, int64_t passes) {
  uint64_t sum = 0;
  asm volatile(R"(
    3:
      mov %[base], %%rsi
      mov %[phases], %%rcx
    2:
      mov %%rsi, %%rax
      mov %[groups], %%rdx
      .p2align 6
    1:
      .irp r,8,9,10,11,12,13,14,15
        mov (\r-8)*%c[stride](%%rax), %%r\r
      .endr
      add $8*%c[stride], %%rax
      dec %%rdx
      jnz 1b
      add $64, %%rsi
      dec %%rcx
      jnz 2b
      dec %[passes]
      jnz 3b
      mov %%r8, %%rax
      .irp r,9,10,11,12,13,14,15
        add %%r\r, %%rax
      .endr
  )"
               : [passes] "+&D"(passes), "=&a"(sum)
               : [base] "m"(base), [groups] "m"(groups), [phases] "m"(phases), [stride] "i"(Stride)
               : "cc", "memory", "rcx", "rdx", "rsi", ROOFTUNE_R8_TO_R15);
  return sum;
}

template <int Misses>
void chase(int64_t steps, void** heads) {
  int64_t left = steps / chase_unroll;
  asm volatile(R"(
      .irp r,8,9,10,11,12,13,14,15
        .if \r-8 < %c[misses]
          mov (\r-8)*8(%[heads]), %%r\r
        .endif
      .endr
      .p2align 6
    1:
      .rept 4
        .irp r,8,9,10,11,12,13,14,15
          .if \r-8 < %c[misses]
            mov (%%r\r), %%r\r
          .endif
        .endr
      .endr
      dec %[n]
      jnz 1b
      .irp r,8,9,10,11,12,13,14,15
        .if \r-8 < %c[misses]
          mov %%r\r, (\r-8)*8(%[heads])
        .endif
      .endr
  )"
               : [n] "+&r"(left)
               : [heads] "r"(heads), [misses] "i"(Misses)
               : "cc", "memory", ROOFTUNE_R8_TO_R15);
}

// Sixteen chains do not fit the integer registers beside counter and frame: twelve live there, and
// four pass through r14 from vector registers, which makes their steps a few cycles longer.
template <>
inline void chase<most_misses>(int64_t steps, void** heads) {
  int64_t left = steps / chase_unroll;
  // rsi is loaded last: it holds the heads until then.
  asm volatile(R"(
      movq %%rsi, %%xmm15
      mov %%rdi, %%r15
      mov (%%rsi), %%rax
      mov 8(%%rsi), %%rbx
      mov 16(%%rsi), %%rcx
      mov 24(%%rsi), %%rdx
      mov 40(%%rsi), %%rdi
      .irp r,8,9,10,11,12,13
        mov 48+(\r-8)*8(%%rsi), %%r\r
      .endr
      .irp r,0,1,2,3
        movq 96+8*\r(%%rsi), %%xmm\r
      .endr
      mov 32(%%rsi), %%rsi
      .p2align 6
    1:
      .rept 4
        .irp r,rax,rbx,rcx,rdx,rsi,rdi,r8,r9,r10,r11,r12,r13
          mov (%%\r), %%\r
        .endr
        .irp r,0,1,2,3
          movq %%xmm\r, %%r14
          movq (%%r14), %%xmm\r
        .endr
      .endr
      dec %%r15
      jnz 1b
      movq %%xmm15, %%r15
      mov %%rax, (%%r15)
      mov %%rbx, 8(%%r15)
      mov %%rcx, 16(%%r15)
      mov %%rdx, 24(%%r15)
      mov %%rsi, 32(%%r15)
      mov %%rdi, 40(%%r15)
      .irp r,8,9,10,11,12,13
        mov %%r\r, 48+(\r-8)*8(%%r15)
      .endr
      .irp r,0,1,2,3
        movq %%xmm\r, 96+8*\r(%%r15)
      .endr
  )"
               : "+&S"(heads), "+&D"(left)
               :
               : "cc", "memory", "rax", "rbx", "rcx", "rdx", "xmm0", "xmm1", "xmm2", "xmm3",
                 "xmm15", ROOFTUNE_R8_TO_R15);
}

}  // namespace rooftune::probe
