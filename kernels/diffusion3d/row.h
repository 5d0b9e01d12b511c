// One time step of 7-point diffusion on a row of points.
// The caller provides here[-1] .. here[count] and `count` elements of the other rows; out overlaps
// none. Reads the KNOB_ macros of openmp.cpp.
#pragma once
#include "body.h"
#include "rooftune/vector.h"

struct Stencil {
  double alpha, beta;
};

/// The row to step and the four rows beside it.
struct Rows {
  const double *here, *south, *north, *below, *above;
};

constexpr bool factored = KNOB_FORM == KNOB_FORM_FACTORED;
constexpr int width = KNOB_SIMD_WIDTH > 0 ? KNOB_SIMD_WIDTH : rooftune::widest_vector;
constexpr std::int64_t stride = width * KNOB_UNROLL;

/// True when vectors are written out; else the loop is left to the compiler.
constexpr bool written_out = KNOB_SIMD_WIDTH > 0 || KNOB_UNROLL > 1 || KNOB_PREFETCH > 0 ||
                             KNOB_ALIGN_STORE || KNOB_NEIGHBOUR == KNOB_NEIGHBOUR_SHUFFLE;

ROOFTUNE_INLINE double point(const Stencil& s, const Rows& r, std::int64_t i) {
  return diffusion3d_body::stepped<factored>(s.alpha, s.beta, r.here[i], r.here[i - 1],
                                             r.here[i + 1], r.south[i], r.north[i], r.below[i],
                                             r.above[i]);
}

template <bool Stream>
ROOFTUNE_INLINE void put_vector(const Stencil& s, const Rows& r,
                                const rooftune::Vector<width>& left,
                                const rooftune::Vector<width>& here,
                                const rooftune::Vector<width>& right, double* out, std::int64_t k) {
  using namespace rooftune;
  const Vector<width> v = diffusion3d_body::stepped<factored, Vector<width>>(
      s.alpha, s.beta, here, left, right, load<width>(r.south + k), load<width>(r.north + k),
      load<width>(r.below + k), load<width>(r.above + k));
  Stream ? stream<width>(out + k, v) : store<width>(out + k, v);
}

/// `above` is the row that comes from the farthest memory: it is the one to fetch early.
template <bool Ahead>
ROOFTUNE_INLINE void prefetch_lines(const Rows& r, std::int64_t i) {
  if (Ahead && KNOB_PREFETCH > 0)
    for (std::int64_t line = 0; line < stride; line += 8)
      rooftune::prefetch(r.above + i + line, KNOB_PREFETCH);
}

/// Neighbours in the row loaded again, one element to either side.
template <bool Stream, bool Ahead>
inline std::int64_t update_reload(const Stencil& s, const Rows& r, double* __restrict out,
                                  std::int64_t i, std::int64_t count) {
  using namespace rooftune;
  for (; i + stride <= count; i += stride) {
    prefetch_lines<Ahead>(r, i);
#pragma GCC unroll 16
    for (int j = 0; j < KNOB_UNROLL; ++j) {
      const std::int64_t k = i + j * width;
      put_vector<Stream>(s, r, load<width>(r.here + k - 1), load<width>(r.here + k),
                         load<width>(r.here + k + 1), out, k);
    }
  }
  return i;
}

/// Neighbours in the row taken from the registers of the vectors beside.
template <bool Stream, bool Ahead>
inline std::int64_t update_shuffle(const Stencil& s, const Rows& r, double* __restrict out,
                                   std::int64_t i, std::int64_t count) {
  using namespace rooftune;
  // Looks a whole vector ahead, of which only the first element is sure to exist.
  const std::int64_t last = count + 1 - width;
  if (i + stride > last) return i;
  Vector<width> before = Vector<width>{} + r.here[i - 1], here = load<width>(r.here + i);
  for (; i + stride <= last; i += stride) {
    prefetch_lines<Ahead>(r, i);
#pragma GCC unroll 16
    for (int j = 0; j < KNOB_UNROLL; ++j) {
      const std::int64_t k = i + j * width;
      const Vector<width> next = load<width>(r.here + k + width);
      put_vector<Stream>(s, r, shifted_left<width>(before, here), here,
                         shifted_right<width>(here, next), out, k);
      before = here;
      here = next;
    }
  }
  return i;
}

/// out_i = alpha here_i + beta (six neighbours) for i in [0, count). Stream: `out` will not be read
/// soon. Ahead: the rows come from memory.
template <bool Stream, bool Ahead>
inline void update_row(const Stencil& s, const Rows& r, double* __restrict out,
                       std::int64_t count) {
  std::int64_t i = 0;
  if constexpr (written_out || Stream) {
    // Streamed stores fault on unaligned addresses.
    if (Stream || KNOB_ALIGN_STORE)
      for (const std::int64_t first = rooftune::aligned_from<width>(out, 0, count); i < first; ++i)
        out[i] = point(s, r, i);
    i = KNOB_NEIGHBOUR == KNOB_NEIGHBOUR_SHUFFLE
            ? update_shuffle<Stream, Ahead>(s, r, out, i, count)
            : update_reload<Stream, Ahead>(s, r, out, i, count);
  }
  for (; i < count; ++i) out[i] = point(s, r, i);
}
