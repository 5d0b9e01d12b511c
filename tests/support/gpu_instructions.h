// The GPU's instructions on halves and on tensor tiles, for the emulation of the probe's kernels.
// Include it before probe/cuda/gpu_kernels.cu, which a host compiler then reads as functions.
#pragma once
#include <rooftune/gpu.h>

#include <array>
#include <cmath>
#include <cstring>

namespace gpu_probe {

inline float half_value(unsigned bits) {
  const unsigned exponent = bits >> 10 & 0x1f, mantissa = bits & 0x3ff;
  const float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                                        : std::ldexp(static_cast<float>(mantissa | 0x400),
                                                     static_cast<int>(exponent) - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

/// Rounds to the nearest half, ties to even; no infinities: the tests stay far from them.
inline unsigned half_bits(float value) {
  const unsigned sign = std::signbit(value) ? 0x8000 : 0;
  int exponent = 0;
  std::frexp(std::fabs(value), &exponent);
  exponent = std::max(exponent, -13);
  const auto steps =
      static_cast<unsigned>(std::nearbyint(std::ldexp(std::fabs(value), 11 - exponent)));
  if (steps == 0) return sign;
  // A carry out of the mantissa raises the exponent by itself.
  return sign | ((static_cast<unsigned>(exponent + 13) << 10) + steps);
}

template <class Operation>
unsigned of_halves(unsigned a, unsigned b, unsigned c, Operation operation) {
  const unsigned low =
      half_bits(operation(half_value(a & 0xffff), half_value(b & 0xffff), half_value(c & 0xffff)));
  const unsigned high =
      half_bits(operation(half_value(a >> 16), half_value(b >> 16), half_value(c >> 16)));
  return low | high << 16;
}
inline unsigned half2_fma(unsigned a, unsigned b, unsigned c) {
  return of_halves(a, b, c, [](float x, float y, float z) { return x * y + z; });
}
inline unsigned half2_mul(unsigned a, unsigned b) {
  return of_halves(a, b, 0, [](float x, float y, float) { return x * y; });
}
inline unsigned half2_add(unsigned a, unsigned b) {
  return of_halves(a, b, 0, [](float x, float y, float) { return x + y; });
}

/// Register of every lane of the warp.
template <class T>
std::array<T, 32> of_all_lanes(const T& mine) {
  const unsigned char* slots = rooftune::cuda->exchange(0xffffffffu, &mine, sizeof(T));
  std::array<T, 32> all;
  for (std::size_t lane = 0; lane < 32; ++lane)
    std::memcpy(&all[lane], slots + 16 * lane, sizeof(T));
  return all;
}

/// D = A B + D for a warp. Where element (row, k) of A and (k, column) of B lie is said by
/// `Layout`; sums lie two columns of a row per lane, and 8 rows further in registers 2 and 3 (PTX
/// ISA, chapter on matrix fragments).
template <class Layout, int K, class T, class Sum>
void multiply(const T* x, const T* y, Sum* z) {
  std::array<std::array<T, 32>, Layout::a> all_x;
  std::array<std::array<T, 32>, Layout::b> all_y;
  for (std::size_t i = 0; i < Layout::a; ++i) all_x[i] = of_all_lanes(x[i]);
  for (std::size_t i = 0; i < Layout::b; ++i) all_y[i] = of_all_lanes(y[i]);
  const int lane = rooftune::cuda->thread->lane;
  for (int i = 0; i < Layout::d; ++i) {
    const int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
    for (int k = 0; k < K; ++k)
      z[i] += Layout::left(all_x, row, k) * Layout::right(all_y, k, column);
  }
}

inline std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// 8 x 8 x 4 and 16 x 8 x 16 in double precision: four columns of A per register pair.
template <int A, int B, int D, int K>
struct Fp64Tiles {
  using T = double;
  using Sum = double;
  static constexpr int a = A, b = B, d = D;
  template <class All>
  static double left(const All& all, int row, int k) {
    return all[at(k / 4 * (A > 1 ? 2 : 1) + row / 8)][at(row % 8 * 4 + k % 4)];
  }
  template <class All>
  static double right(const All& all, int k, int column) {
    return all[at(k / 4)][at(column * 4 + k % 4)];
  }
  static void step(const T* x, const T* y, Sum* z) { multiply<Fp64Tiles, K>(x, y, z); }
};
using MmaFp64 = Fp64Tiles<1, 1, 2, 4>;
using MmaFp64Wide = Fp64Tiles<8, 4, 4, 16>;

struct MmaTf32 {
  using T = unsigned;
  using Sum = float;
  static constexpr int a = 4, b = 2, d = 4;
  static float value(unsigned bits) {
    float result;
    std::memcpy(&result, &bits, sizeof result);
    return result;
  }
  template <class All>
  static float left(const All& all, int row, int k) {
    return value(all[at(k / 4 * 2 + row / 8)][at(row % 8 * 4 + k % 4)]);
  }
  template <class All>
  static float right(const All& all, int k, int column) {
    return value(all[at(k / 4)][at(column * 4 + k % 4)]);
  }
  static void step(const T* x, const T* y, Sum* z) { multiply<MmaTf32, 8>(x, y, z); }
};

/// 16 x 8 x 16 on numbers of 16 bits, two to a register.
template <float (*Value)(unsigned)>
struct HalfTiles {
  using T = unsigned;
  using Sum = float;
  static constexpr int a = 4, b = 2, d = 4;
  static float of_pair(unsigned pair, int k) { return Value(pair >> (k % 2 * 16) & 0xffff); }
  template <class All>
  static float left(const All& all, int row, int k) {
    return of_pair(all[at(k / 8 * 2 + row / 8)][at(row % 8 * 4 + k % 8 / 2)], k);
  }
  template <class All>
  static float right(const All& all, int k, int column) {
    return of_pair(all[at(k / 8)][at(column * 4 + k % 8 / 2)], k);
  }
  static void step(const T* x, const T* y, Sum* z) { multiply<HalfTiles, 16>(x, y, z); }
};
inline float bf16_value(unsigned bits) { return MmaTf32::value(bits << 16); }
using MmaFp16 = HalfTiles<half_value>;
using MmaBf16 = HalfTiles<bf16_value>;

}  // namespace gpu_probe
