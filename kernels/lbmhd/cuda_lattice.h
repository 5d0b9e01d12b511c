// A lattice on the card: where the 72 numbers of a site and of its neighbours are, and how a thread
// reads and writes them. The caller keeps the memory, which holds elements() doubles.
#pragma once
#include "body.h"
#include "cuda_knobs.h"
#include "rooftune/gpu.h"

namespace mhd {

/// The periodic box; rows are `pitch` sites apart, arrays `component` doubles.
struct Grid {
  int nx, ny, nz;
  Index pitch, component;

  ROOFTUNE_FUNCTION Int64 sites() const { return Int64{nx} * ny * nz; }
  /// Sites with those that only fill up rows.
  ROOFTUNE_FUNCTION Int64 stored() const { return Int64{pitch} * ny * nz; }
  ROOFTUNE_FUNCTION Int64 elements() const {
    constexpr Int64 block = 32;
    return components * (KNOB_LAYOUT == KNOB_LAYOUT_SOA     ? Int64{component}
                         : KNOB_LAYOUT == KNOB_LAYOUT_AOSOA ? (stored() + block - 1) / block * block
                                                            : stored());
  }
  ROOFTUNE_FUNCTION Index site(int x, int y, int z) const {
    return (static_cast<Index>(z) * ny + y) * pitch + x;
  }
  ROOFTUNE_FUNCTION Index cell(int k, Index site) const {
    if constexpr (KNOB_LAYOUT == KNOB_LAYOUT_SOA) return k * component + site;
    if constexpr (KNOB_LAYOUT == KNOB_LAYOUT_AOS) return site * components + k;
    return site / 32 * (components * 32) + k * 32 + site % 32;
  }
};

ROOFTUNE_FUNCTION int wrapped(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }

/// Two sites side by side: what body.h computes with.
struct Two {
  double x, y;
};
ROOFTUNE_FUNCTION Two operator+(const Two& a, const Two& b) { return {a.x + b.x, a.y + b.y}; }
ROOFTUNE_FUNCTION Two operator-(const Two& a, const Two& b) { return {a.x - b.x, a.y - b.y}; }
ROOFTUNE_FUNCTION Two operator*(const Two& a, const Two& b) { return {a.x * b.x, a.y * b.y}; }
ROOFTUNE_FUNCTION Two operator*(const Two& a, double b) { return {a.x * b, a.y * b}; }
ROOFTUNE_FUNCTION Two operator/(double a, const Two& b) { return {a / b.x, a / b.y}; }

#if KNOB_VECTOR == 2
using Number = Two;  ///< of the sites of a thread
ROOFTUNE_FUNCTION Number number(double first, double second) { return {first, second}; }
ROOFTUNE_FUNCTION double first_of(const Number& n) { return n.x; }
ROOFTUNE_FUNCTION double second_of(const Number& n) { return n.y; }
#else
using Number = double;
ROOFTUNE_FUNCTION Number number(double first, double) { return first; }
ROOFTUNE_FUNCTION double first_of(const Number& n) { return n; }
ROOFTUNE_FUNCTION double second_of(const Number& n) { return n; }
#endif

template <class T>
__device__ __forceinline__ T load(const T* p) {
#if KNOB_LOADS == KNOB_LOADS_READ_ONLY
  return rooftune::load_read_only(p);
#elif KNOB_LOADS == KNOB_LOADS_STREAMING
  return rooftune::load_streaming(p);
#else
  return *p;
#endif
}

template <class T>
__device__ __forceinline__ void store(T* p, T value) {
#if KNOB_STORES == KNOB_STORES_STREAMING
  rooftune::store_streaming(p, value);
#else
  *p = value;
#endif
}

/// What a step reads and writes: from x - c_i, to x; from x, to x + c_i; in place by turns exactly
/// the cells that were read, then locally (Bailey et al., ICPP 2009).
enum class Turn { pull, push, exchange, local };

/// The cells of `sites_together` sites from (x, y, z) on.
template <Turn Way>
class Cells {
 public:
  __device__ __forceinline__ Cells(const double* from, double* to, const Grid& grid, int x, int y,
                                   int z)
      : from_(from), to_(to), grid_(grid) {
#pragma unroll
    for (int by = -1; by <= 1; ++by) {
      x_[by + 1] = wrapped(x + by, grid.nx);
      rows_[by + 1] = wrapped(y + by, grid.ny) * grid.pitch;
      planes_[by + 1] = static_cast<Index>(wrapped(z + by, grid.nz)) * grid.ny * grid.pitch;
    }
    // The second of two sites: only its own right neighbour can be across the rim.
    if (sites_together == 2) right_ = wrapped(x + 2, grid.nx);
  }

  template <int K>
  __device__ __forceinline__ Number get() const {
    constexpr int number = Way == Turn::local ? opposite_component(K) : K;
    constexpr int away = Way == Turn::pull || Way == Turn::exchange ? -1 : 0;
    return read<number, away * c(velocity_of(K), 0), away * c(velocity_of(K), 1),
                away * c(velocity_of(K), 2)>();
  }
  /// As get, but from memory in any case.
  template <int K>
  __device__ __forceinline__ Number get_anew() const {
    constexpr int number = Way == Turn::local ? opposite_component(K) : K;
    constexpr int away = Way == Turn::pull || Way == Turn::exchange ? -1 : 0;
    constexpr int x = away * c(velocity_of(K), 0), y = away * c(velocity_of(K), 1),
                  z = away * c(velocity_of(K), 2);
    if constexpr (sites_together == 2)
      return mhd::number(rooftune::load_anew(from_ + at<number, x, y, z>()),
                         rooftune::load_anew(from_ + at_second<number, x, y, z>()));
    else
      // NVRTC looks at this where it is discarded, too.
      return mhd::number(rooftune::load_anew(from_ + at<number, x, y, z>()), 0);
  }
  /// To shared memory without a register in between: two numbers `stride` apart or one.
  template <int K>
  __device__ __forceinline__ void copy_to(double* first, int stride) const {
    constexpr int number = Way == Turn::local ? opposite_component(K) : K;
    constexpr int away = Way == Turn::pull || Way == Turn::exchange ? -1 : 0;
    constexpr int x = away * c(velocity_of(K), 0), y = away * c(velocity_of(K), 1),
                  z = away * c(velocity_of(K), 2);
    rooftune::async_copy8(first, from_ + at<number, x, y, z>());
    if constexpr (sites_together == 2)
      rooftune::async_copy8(first + stride, from_ + at_second<number, x, y, z>());
  }

  template <int K>
  __device__ __forceinline__ void put(const Number& value) const {
    constexpr int i = velocity_of(K);
    if constexpr (Way == Turn::exchange)
      write<opposite_component(K), c(i, 0), c(i, 1), c(i, 2)>(value);
    else if constexpr (Way == Turn::push)
      write<K, c(i, 0), c(i, 1), c(i, 2)>(value);
    else
      write<K, 0, 0, 0>(value);
  }

 private:
  template <int K, int X, int Y, int Z>
  __device__ __forceinline__ Index at() const {
    return grid_.cell(K, planes_[Z + 1] + rows_[Y + 1] + x_[X + 1]);
  }
  /// Of the second of two sites.
  template <int K, int X, int Y, int Z>
  __device__ __forceinline__ Index at_second() const {
    return grid_.cell(K, planes_[Z + 1] + rows_[Y + 1] + (X == 1 ? right_ : x_[1] + 1 + X));
  }
  /// Two sites are one piece of memory, aligned to its size, where x does not change.
  template <int X>
  static constexpr bool in_one_piece = X == 0 && KNOB_LAYOUT != KNOB_LAYOUT_AOS;

  template <int K, int X, int Y, int Z>
  __device__ __forceinline__ Number read() const {
    if constexpr (sites_together == 1) {
      return load(from_ + at<K, X, Y, Z>());
    } else if constexpr (in_one_piece<X>) {
      const double2 both = load(reinterpret_cast<const double2*>(from_ + at<K, X, Y, Z>()));
      return mhd::number(both.x, both.y);
    } else {
      return mhd::number(load(from_ + at<K, X, Y, Z>()), load(from_ + at_second<K, X, Y, Z>()));
    }
  }
  template <int K, int X, int Y, int Z>
  __device__ __forceinline__ void write(const Number& value) const {
    if constexpr (sites_together == 1) {
      store(to_ + at<K, X, Y, Z>(), first_of(value));
    } else if constexpr (in_one_piece<X>) {
      store(reinterpret_cast<double2*>(to_ + at<K, X, Y, Z>()),
            make_double2(first_of(value), second_of(value)));
    } else {
      store(to_ + at<K, X, Y, Z>(), first_of(value));
      store(to_ + at_second<K, X, Y, Z>(), second_of(value));
    }
  }

  const double* from_;
  double* to_;
  Grid grid_;
  int x_[3], right_ = 0;
  Index rows_[3], planes_[3];
};

}  // namespace mhd
