// Sites side by side copied between the lattice and a buffer that the L1 cache holds, component by
// component, periodic in x. The caller's strips start at multiples of the vector width.
#pragma once
#include "rooftune/vector.h"
#include "streams.h"

namespace mhd {

constexpr int width = KNOB_SIMD_WIDTH;
using Lanes = rooftune::Vector<width>;
constexpr int strip = KNOB_STRIP > 0 ? KNOB_STRIP : width;
/// Components of a strip are contiguous and `strip` doubles apart.
using Buffer = double[components * strip];

/// Element `lane` of a vector.
template <int W = width>
ROOFTUNE_INLINE double lane(const rooftune::Vector<W>& v, int number) {
  if constexpr (W == 1)
    return v;
  else
    return v[number];
}

/// `width` sites from x on.
template <int W = width>
ROOFTUNE_INLINE rooftune::Vector<W> load_sites(const double* row, Int64 x) {
  if constexpr (W == 1 || x_contiguous || block_sites % W == 0) {
    return rooftune::load<W>(row + Lattice::offset(x));
  } else {
    rooftune::Vector<W> v{};
    for (int j = 0; j < W; ++j) v[j] = row[Lattice::offset(x + j)];
    return v;
  }
}

ROOFTUNE_INLINE void store_sites(double* row, Int64 x, const Lanes& v) {
  if constexpr (width == 1 || x_contiguous || block_sites % width == 0)
    rooftune::store<width>(row + Lattice::offset(x), v);
  else
    for (int j = 0; j < width; ++j) row[Lattice::offset(x + j)] = lane(v, j);
}

/// `width` sites from x + Shift on; the row is a ring.
template <int Shift>
ROOFTUNE_INLINE Lanes load_shifted(const double* row, Int64 x, Int64 nx) {
  using namespace rooftune;
  if (Shift == 0) return load_sites(row, x);
  if (x_contiguous && x + Shift >= 0 && x + Shift + width <= nx)
    return load<width>(row + x + Shift);
  if (Shift < 0)
    return shifted_left<width>(Lanes{} + row[Lattice::offset(wrapped(x - 1, nx))],
                               load_sites(row, x));
  return shifted_right<width>(load_sites(row, x),
                              Lanes{} + row[Lattice::offset(wrapped(x + width, nx))]);
}

/// Sites are stored in ascending order: the one that a vector does not reach keeps its value.
template <int Shift>
ROOFTUNE_INLINE void store_shifted(double* row, Int64 x, Int64 nx, const Lanes& v) {
  using namespace rooftune;
  if (Shift == 0) return store_sites(row, x, v);
  if (x_contiguous && x + Shift >= 0 && x + Shift + width <= nx)
    return store<width>(row + x + Shift, v);
  if constexpr (width == 1) {
    row[Lattice::offset(wrapped(x + Shift, nx))] = v;
  } else if constexpr (Shift < 0) {
    store_sites(row, x, shifted_right<width>(v, Lanes{} + row[Lattice::offset(x + width - 1)]));
    row[Lattice::offset(wrapped(x - 1, nx))] = lane(v, 0);
  } else {
    store_sites(row, x, shifted_left<width>(Lanes{} + row[Lattice::offset(x)], v));
    row[Lattice::offset(wrapped(x + width, nx))] = lane(v, width - 1);
  }
}

/// The caches are told of the same component `KNOB_PREFETCH` bytes further on.
ROOFTUNE_INLINE void announce(const double* p) {
  if (KNOB_PREFETCH > 0) rooftune::prefetch(p, KNOB_PREFETCH);
}

/// Components whose velocity has the component `Along` in x.
template <int Along>
struct Group {
  int member[components] = {}, count = 0;
  constexpr Group() {
    for (int k = 0; k < components; ++k)
      if (c(velocity_of(k), 0) == Along) member[count++] = k;
  }
};
template <int Along>
constexpr Group<Along> group;

/// The components of one group; the loops over them stay loops, for the compiler's sake.
template <int Along, class S>
inline void gather_group(const Streams& streams, Int64 x, Int64 count, Int64 nx, double* buffer) {
  constexpr int shift = S::in * Along;
  for (int m = 0; m < group<Along>.count; ++m) {
    const double* const row = streams.in[group<Along>.member[m]];
    double* const to = buffer + group<Along>.member[m] * strip;
    Int64 i = 0;
    for (; i + width <= count; i += width) {
      announce(row + Lattice::offset(x + i));
      rooftune::store<width>(to + i, load_shifted<shift>(row, x + i, nx));
    }
    for (; i < count; ++i) to[i] = row[Lattice::offset(wrapped(x + i + shift, nx))];
    // Lanes beyond the last site compute something harmless.
    for (; i % width != 0; ++i) to[i] = to[i - 1];
  }
}

template <int Along, class S>
inline void scatter_group(const Streams& streams, Int64 x, Int64 count, Int64 nx,
                          const double* buffer) {
  constexpr int shift = S::out * Along;
  for (int m = 0; m < group<Along>.count; ++m) {
    double* const row = streams.out[group<Along>.member[m]];
    const double* const from = buffer + group<Along>.member[m] * strip;
    Int64 i = 0;
    for (; i + width <= count; i += width) {
      const Lanes v = rooftune::load<width>(from + i);
      if constexpr (KNOB_NT_STORE && S::out == 0 && x_contiguous)
        rooftune::stream<width>(row + x + i, v);
      else
        store_shifted<shift>(row, x + i, nx, v);
    }
    for (; i < count; ++i) row[Lattice::offset(wrapped(x + i + shift, nx))] = from[i];
  }
}

template <class S>
inline void gather(const Streams& streams, Int64 x, Int64 count, Int64 nx, double* buffer) {
  gather_group<0, S>(streams, x, count, nx, buffer);
  gather_group<1, S>(streams, x, count, nx, buffer);
  gather_group<-1, S>(streams, x, count, nx, buffer);
}

template <class S>
inline void scatter(const Streams& streams, Int64 x, Int64 count, Int64 nx, const double* buffer) {
  scatter_group<0, S>(streams, x, count, nx, buffer);
  scatter_group<1, S>(streams, x, count, nx, buffer);
  scatter_group<-1, S>(streams, x, count, nx, buffer);
}

}  // namespace mhd
