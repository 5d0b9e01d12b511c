// Numbers of 16 bits in CUDA kernels: rooftune::Half and rooftune::BFloat16, converted to and from
// float. Needs no toolkit; in the emulation they are those of rooftune/elements.h.
#pragma once
#include "rooftune/gpu.h"

#if ROOFTUNE_HOST
#include "rooftune/elements.h"
#else

namespace rooftune {

struct Half {
  Half() = default;
  __device__ explicit Half(float value) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value)); }
  __device__ explicit operator float() const {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
  }
  unsigned short bits;
};

/// The upper half of a float, rounded to even.
struct BFloat16 {
  BFloat16() = default;
  __device__ explicit BFloat16(float value) {
    const unsigned all = __float_as_uint(value), odd = all >> 16 & 1;
    bits = static_cast<unsigned short>(value == value ? (all + 0x7fff + odd) >> 16 : 0x7fc0);
  }
  __device__ explicit operator float() const { return __uint_as_float(unsigned{bits} << 16); }
  unsigned short bits;
};

}  // namespace rooftune

#endif
