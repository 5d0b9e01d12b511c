// The loop nest: which indices are cut into tiles and shared among threads, and what runs inside a
// tile. The caller's `sums` hold four numbers per energy.
#pragma once
#include <omp.h>

#if KNOB_FORMULA == KNOB_FORMULA_FRACTIONS
#include "fractions.h"
#else
#include "literature.h"
#endif

namespace sigma_gpp {

template <int N>
struct Count {
  static constexpr int value = N;
};

/// Calls body(Count of energies, first of them) for blocks of energies;
/// single ones where a block does not fit.
template <class Body>
ROOFTUNE_INLINE void for_energies(Range w, const Body& body) {
  constexpr int block = energy_block > 0 ? energy_block : 1;
  if (energy_block == 0) return body(Count<0>{}, w.from);
  for (; w.from + block <= w.to; w.from += block) body(Count<block>{}, w.from);
  if constexpr (block > 1)
    for (; w.from < w.to; ++w.from) body(Count<1>{}, w.from);
}

struct Tile {
  Range n, g, i, w;
};

#if KNOB_FORMULA == KNOB_FORMULA_FRACTIONS

ROOFTUNE_INLINE void run_rows(const View& v, Range n, std::int64_t g, Range i, Range w, V* sums) {
  for_energies(w, [&](auto block, std::int64_t k) {
    fractions_of::rows<decltype(block)::value>(v, n, g, i, k, sums);
  });
}
ROOFTUNE_INLINE void run_column(const View& v, std::int64_t g, std::int64_t i, Range n, Range w,
                                V* sums) {
  fractions_of::Poles poles(v, g, i);
  for_runs(v, n, [&](Range run, bool occupied) {
    for_energies(w, [&](auto block, std::int64_t k) {
      fractions_of::columns<decltype(block)::value>(v, poles, g, i, run, occupied, k, sums);
    });
  });
}

#else

ROOFTUNE_INLINE void run_rows(const View& v, Range n, std::int64_t g, Range i, Range w, V* sums) {
  for (std::int64_t b = n.from; b < n.to; ++b)
    for_energies(w, [&](auto block, std::int64_t k) {
      if constexpr (decltype(block)::value == 1 && KNOB_SIMD_WIDTH == 0 && unroll == 1)
        literature::simd_row(v, b, g, i, k, sums);
      else
        literature::row<decltype(block)::value>(v, b, g, i, k, w.to - k, sums);
    });
}
ROOFTUNE_INLINE void run_column(const View& v, std::int64_t g, std::int64_t i, Range n, Range w,
                                V* sums) {
  for_runs(v, n, [&](Range run, bool occupied) {
    for_energies(w, [&](auto block, std::int64_t k) {
      literature::column<decltype(block)::value>(v, g, i, run, occupied, k, w.to - k, sums);
    });
  });
}

#endif

/// One tile, in the order of the nest.
inline void run_nest(const View& v, const Tile& tile, V* sums) {
#if KNOB_ORDER == KNOB_ORDER_G_I_N
  for (std::int64_t g = tile.g.from; g < tile.g.to; ++g)
    for (std::int64_t i = tile.i.from; i < tile.i.to; i += stride)
      run_column(v, g, i, tile.n, tile.w, sums);
#elif KNOB_ORDER == KNOB_ORDER_I_G_N
  for (std::int64_t i = tile.i.from; i < tile.i.to; i += stride)
    for (std::int64_t g = tile.g.from; g < tile.g.to; ++g)
      run_column(v, g, i, tile.n, tile.w, sums);
#elif KNOB_ORDER == KNOB_ORDER_G_N_I
  for (std::int64_t g = tile.g.from; g < tile.g.to; ++g)
    run_rows(v, tile.n, g, tile.i, tile.w, sums);
#else
  constexpr std::int64_t together = fractions ? KNOB_BAND_BLOCK : 1;
  for (std::int64_t n = tile.n.from; n < tile.n.to; n += together)
    for (std::int64_t g = tile.g.from; g < tile.g.to; ++g)
      run_rows(v, {n, n + together < tile.n.to ? n + together : tile.n.to}, g, tile.i, tile.w,
               sums);
#endif
}

/// One tile, added to the sums of its energies.
inline void run(const View& v, const Tile& tile, double* sigma) {
  V sums[4 * most_energies];
  for (std::int64_t k = 4 * tile.w.from; k < 4 * tile.w.to; ++k) sums[k] = V{};
  run_nest(v, tile, sums);
  for (std::int64_t k = 4 * tile.w.from; k < 4 * tile.w.to; ++k) sigma[k] += sum_of_lanes(sums[k]);
}

/// An index range in tiles.
struct Cut {
  std::int64_t length, block;
  std::int64_t count() const { return (length + block - 1) / block; }
  Range tile(std::int64_t k) const {
    return {k * block, (k + 1) * block < length ? (k + 1) * block : length};
  }
};

/// `block` 0: single steps where the loop is shared among threads, else the whole range.
inline Cut cut(std::int64_t length, std::int64_t block, bool shared, std::int64_t step) {
  const std::int64_t whole = length > 0 ? length : 1;
  const std::int64_t chosen = block > 0 ? (block + step - 1) / step * step : shared ? step : whole;
  return {length, chosen};
}

/// The tiles of all bands, G' and G, numbered in the order of the nest.
struct Nest {
  Cut n, g, i;

  explicit Nest(const View& v)
      : n(cut(v.nb, KNOB_BLOCK_N, place(0) < KNOB_COLLAPSE, fractions ? KNOB_BAND_BLOCK : 1)),
        g(cut(v.ng, KNOB_BLOCK_G, place(1) < KNOB_COLLAPSE, 1)),
        i(cut(v.nc, KNOB_BLOCK_I, place(2) < KNOB_COLLAPSE, stride)) {}

  /// Position of n, g, i (0, 1, 2) in the nest, 0 outermost.
  static constexpr int place(int index) {
#if KNOB_ORDER == KNOB_ORDER_G_I_N
    return index == 0 ? 2 : index - 1;
#elif KNOB_ORDER == KNOB_ORDER_I_G_N
    return 2 - index;
#elif KNOB_ORDER == KNOB_ORDER_G_N_I
    return index == 2 ? 2 : 1 - index;
#else
    return index;
#endif
  }
  const Cut& at(int position) const {
    return place(0) == position ? n : place(1) == position ? g : i;
  }
  Tile tile(const std::int64_t (&k)[3], Range w) const {
    return {n.tile(k[place(0)]), g.tile(k[place(1)]), i.tile(k[place(2)]), w};
  }
};

}  // namespace sigma_gpp
