// A step of one row of sites, in vectors straight from the lattice or in strips through a buffer.
// The caller shares rows among threads: no two rows touch the same cell in a step.
#pragma once
#include "plain.h"
#include "strip.h"

namespace mhd {

/// Where moments of a row of sites go: density, momentum, magnetic field; null when not wanted.
struct MomentRows {
  double* row[7];
};

ROOFTUNE_INLINE void keep_moments(const MomentRows& to, Int64 x, Int64 count,
                                  const Moments<Lanes>& m) {
  if (to.row[0] == nullptr) return;
  const Lanes values[7] = {m.density,     m.momentum[0], m.momentum[1], m.momentum[2],
                           m.magnetic[0], m.magnetic[1], m.magnetic[2]};
  for (int k = 0; k < 7; ++k)
    if (count >= width) {
      rooftune::store<width>(to.row[k] + x, values[k]);
    } else {
      double lanes[width];
      rooftune::store<width>(lanes, values[k]);
      for (Int64 i = 0; i < count; ++i) to.row[k][x + i] = lanes[i];
    }
}

/// Cells of `width` sites in the lattice.
template <class S>
struct LatticeCells {
  const Streams<S>& streams;
  Int64 x;

  template <int K>
  ROOFTUNE_INLINE Lanes get() const {
    constexpr Int64 shift = S::in_shift(K);
    return rooftune::load<width>(streams.in[K] + Lattice::offset(x + shift));
  }
  template <int K>
  ROOFTUNE_INLINE void put(const Lanes& v) const {
    constexpr Int64 shift = S::out_shift(K);
    double* const p = streams.out(K) + Lattice::offset(x + shift);
    if constexpr (streams_out)
      rooftune::stream<width>(p, v);
    else
      rooftune::store<width>(p, v);
  }
};

/// The same where neighbours may lie beyond the rim of the box.
template <class S>
struct RimCells {
  const Streams<S>& streams;
  Int64 x, nx;

  template <int K>
  ROOFTUNE_INLINE Lanes get() const {
    return load_shifted<S::in_shift(K)>(streams.in[K], x, nx);
  }
  template <int K>
  ROOFTUNE_INLINE void put(const Lanes& v) const {
    if constexpr (streams_out)
      rooftune::stream<width>(streams.out(K) + x, v);
    else
      store_shifted<S::out_shift(K)>(streams.out(K), x, nx, v);
  }
};

/// Cells of `width` sites in a buffer.
struct BufferCells {
  double* first;

  template <int K>
  ROOFTUNE_INLINE Lanes get() const {
    return rooftune::load<width>(first + K * strip);
  }
  template <int K>
  ROOFTUNE_INLINE void put(const Lanes& v) const {
    rooftune::store<width>(first + K * strip, v);
  }
};

template <class Cells>
ROOFTUNE_INLINE Moments<Lanes> collide_cells(const Cells& cells, const Rates& r) {
  if constexpr (KNOB_COLLISION == KNOB_COLLISION_LOOP)
    return collide_in_loop<Lanes>(cells, r);
  else if constexpr (KNOB_COLLISION == KNOB_COLLISION_UNROLLED)
    return collide_written_out<Lanes>(cells, r);
  else
    return collide<Lanes>(cells, r);
}

/// Velocity by velocity: each is done for the whole strip before the next.
namespace fission {

constexpr int vectors = strip / width, unroll = KNOB_UNROLL;

template <int P>
ROOFTUNE_INLINE void add_all(double* buffer, int count, Moments<Lanes>* m) {
  if constexpr (P < pairs) {
#pragma GCC unroll unroll
    for (int v = 0; v < count; ++v) add_pair<P>(BufferCells{buffer + v * width}, m[v]);
    if constexpr (P < magnetic_velocities - 1)
#pragma GCC unroll unroll
      for (int v = 0; v < count; ++v) add_vector<P + 1>(BufferCells{buffer + v * width}, m[v]);
    add_all<P + 1>(buffer, count, m);
  } else if constexpr (P < magnetic_velocities - 1) {
    for (int v = 0; v < count; ++v) add_vector<P + 1>(BufferCells{buffer + v * width}, m[v]);
    add_all<P + 1>(buffer, count, m);
  }
}

template <int P>
ROOFTUNE_INLINE void relax_all(double* buffer, int count, const Terms<Lanes>* t, const Rates& r) {
  if constexpr (P < pairs) {
#pragma GCC unroll unroll
    for (int v = 0; v < count; ++v) relax_f<P>(BufferCells{buffer + v * width}, t[v].fluid, r);
    if constexpr (P < magnetic_pairs) {
#pragma GCC unroll unroll
      for (int v = 0; v < count; ++v) {
        relax_g<P, 0>(BufferCells{buffer + v * width}, t[v].magnetic, r);
        relax_g<P, 1>(BufferCells{buffer + v * width}, t[v].magnetic, r);
        relax_g<P, 2>(BufferCells{buffer + v * width}, t[v].magnetic, r);
      }
    }
    relax_all<P + 1>(buffer, count, t, r);
  }
}

inline void collide_strip(double* buffer, Int64 sites, const MomentRows& to, Int64 x,
                          const Rates& r) {
  Moments<Lanes> m[vectors];
  Terms<Lanes> t[vectors];
  const int count = static_cast<int>((sites + width - 1) / width);
  for (int v = 0; v < count; ++v) m[v] = resting_moments<Lanes>(BufferCells{buffer + v * width});
  add_all<0>(buffer, count, m);
  for (int v = 0; v < count; ++v) {
    keep_moments(to, x + v * width, sites - v * width, m[v]);
    t[v] = terms_of(m[v], r);
    relax_resting(BufferCells{buffer + v * width}, t[v], r);
  }
  relax_all<0>(buffer, count, t, r);
}

}  // namespace fission

/// Sites beyond the last of a row are computed along with it and dropped.
[[gnu::noinline]] inline void collide_buffer(double* buffer, Int64 sites, const MomentRows& to,
                                             Int64 x, const Rates& r) {
  if constexpr (KNOB_FISSION == KNOB_FISSION_DIRECTIONS) {
    fission::collide_strip(buffer, sites, to, x, r);
  } else {
    for (Int64 i = 0; i < sites; i += width)
      keep_moments(to, x + i, sites - i, collide_cells(BufferCells{buffer + i}, r));
  }
}

/// Tells the caches of `count` sites of a row that comes soon. Of two steps in one pass the first
/// tells of one half of the components and the second of the other: memory is busy all the time.
template <class S, class N>
ROOFTUNE_INLINE void announce_row(const Streams<N>* next, Int64 x, Int64 count) {
  if (!KNOB_PREFETCH_ROW || next == nullptr) return;
  constexpr bool halves = KNOB_STREAMING == KNOB_STREAMING_WAVEFRONT;
  constexpr int half = components / 2;
  constexpr int from = halves && S::local ? half : 0, to = halves && !S::local ? half : components;
  for (int n = from; n < to; ++n)
    for (Int64 i = 0; i < count; i += 8)
      rooftune::prefetch(next->in[storage.component[n]] + Lattice::offset(x + i), 0);
}

template <class S, class N>
inline void update_strip(const Streams<S>& streams, const Streams<N>* next, Int64 x, Int64 count,
                         Int64 nx, const MomentRows& to, const Rates& r) {
  alignas(64) Buffer buffer;
  announce_row<S>(next, x, count);
  gather<S>(streams, x, count, nx, buffer);
  collide_buffer(buffer, count, to, x, r);
  scatter<S>(streams, x, count, nx, buffer);
}

template <class S>
ROOFTUNE_INLINE void announce_all(const Streams<S>& streams, Int64 x) {
  if (KNOB_PREFETCH > 0)
    for (const int k : storage.component) announce(streams.in[k] + Lattice::offset(x));
}

/// `next` is the row that scheme N takes next, null when it is not known.
template <class S, class N>
inline void update_row(const Streams<S>& streams, const Streams<N>* next, Int64 nx,
                       const MomentRows& to, const Rates& r) {
  constexpr bool direct = KNOB_STRIP == 0 && (width == 1 || x_contiguous);
  Int64 x = 0;
  if constexpr (direct) {
    const auto collide_at = [&](const auto& cells) {
      announce_all(streams, cells.x);
      if (width % 8 == 0 || cells.x % 8 == 0) announce_row<S>(next, cells.x, 8);
      keep_moments(to, cells.x, width, collide_cells(cells, r));
    };
    constexpr Int64 reach = S::local ? 0 : 1;
    if constexpr (reach > 0)
      if (nx >= width) {
        collide_at(RimCells<S>{streams, 0, nx});
        x = width;
      }
    for (; x + width + reach <= nx; x += width) collide_at(LatticeCells<S>{streams, x});
    if constexpr (reach > 0)
      if (x + width == nx) {
        collide_at(RimCells<S>{streams, x, nx});
        x = nx;
      }
  }
  for (; x < nx; x += strip)
    update_strip<S>(streams, next, x, strip < nx - x ? strip : nx - x, nx, to, r);
}

}  // namespace mhd
