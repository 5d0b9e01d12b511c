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

/// Stores past the caches: only where they are aligned and whole.
constexpr bool streams_out = KNOB_NT_STORE && KNOB_STREAMING == KNOB_STREAMING_PULL && x_contiguous;

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
    row[Lattice::offset(wrapped(x + Shift, nx))] = lane(v, 0);
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

/// `count` sites of one component, whose row is a ring; sites are `Shift` away.
template <int Shift>
inline void copy_in(const double* row, Int64 x, Int64 count, Int64 nx, double* to) {
  Int64 i = 0;
  for (; i + width <= count; i += width) {
    announce(row + Lattice::offset(x + i));
    rooftune::store<width>(to + i, load_shifted<Shift>(row, x + i, nx));
  }
  for (; i < count; ++i) to[i] = row[Lattice::offset(wrapped(x + i + Shift, nx))];
  // Lanes beyond the last site compute something harmless.
  for (; i % width != 0; ++i) to[i] = to[i - 1];
}

template <int Shift>
inline void copy_out(const double* from, Int64 x, Int64 count, Int64 nx, double* row) {
  Int64 i = 0;
  for (; i + width <= count; i += width) {
    const Lanes v = rooftune::load<width>(from + i);
    if constexpr (streams_out && Shift == 0)
      rooftune::stream<width>(row + x + i, v);
    else
      store_shifted<Shift>(row, x + i, nx, v);
  }
  for (; i < count; ++i) row[Lattice::offset(wrapped(x + i + Shift, nx))] = from[i];
}

/// In the order of storage.
template <class S>
inline void gather(const Streams<S>& streams, Int64 x, Int64 count, Int64 nx, double* buffer) {
  for (const int k : storage.component) {
    const int along = c(velocity_of(k), 0);
    if (S::in == 0 || along == 0)
      copy_in<0>(streams.in[k], x, count, nx, buffer + k * strip);
    else if (along > 0)
      copy_in<S::in>(streams.in[k], x, count, nx, buffer + k * strip);
    else
      copy_in<-S::in>(streams.in[k], x, count, nx, buffer + k * strip);
  }
}

template <class S>
inline void scatter(const Streams<S>& streams, Int64 x, Int64 count, Int64 nx,
                    const double* buffer) {
  for (const int k : storage.component) {
    const int along = c(velocity_of(k), 0);
    if (S::out == 0 || along == 0)
      copy_out<0>(buffer + k * strip, x, count, nx, streams.out(k));
    else if (along > 0)
      copy_out<S::out>(buffer + k * strip, x, count, nx, streams.out(k));
    else
      copy_out<-S::out>(buffer + k * strip, x, count, nx, streams.out(k));
  }
}

}  // namespace mhd
