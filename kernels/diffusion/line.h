// One time step of one-dimensional diffusion on a line of points, and the copy of a line.
// The caller provides x[-shift] .. x[count + shift - 1]; y must not overlap them. Reads the KNOB_
// macros of openmp.cpp.
#pragma once
#include "body.h"
#include "rooftune/vector.h"

struct Stencil {
  double alpha, beta;
  std::int64_t shift;  ///< points to either neighbour
};

constexpr diffusion_body::Form form =
    KNOB_FORM == KNOB_FORM_FACTORED     ? diffusion_body::Form::factored
    : KNOB_FORM == KNOB_FORM_DIFFERENCE ? diffusion_body::Form::difference
                                        : diffusion_body::Form::distributed;

constexpr int width = KNOB_SIMD_WIDTH > 0 ? KNOB_SIMD_WIDTH : rooftune::widest_vector;
constexpr std::int64_t stride = width * KNOB_UNROLL;

/// True when vectors are written out; else the loop is left to the compiler.
constexpr bool written_out = KNOB_SIMD_WIDTH > 0 || KNOB_UNROLL > 1 || KNOB_PREFETCH > 0 ||
                             KNOB_ALIGN_STORE || KNOB_NEIGHBOUR == KNOB_NEIGHBOUR_SHUFFLE;

ROOFTUNE_INLINE double point(const Stencil& s, double left, double here, double right) {
  return diffusion_body::stepped<form>(s.alpha, s.beta, left, here, right);
}

ROOFTUNE_INLINE void prefetch_lines(const double* p) {
  if (KNOB_PREFETCH > 0)
    for (std::int64_t line = 0; line < stride; line += 8)
      rooftune::prefetch(p + line, KNOB_PREFETCH);
}

template <bool Stream>
ROOFTUNE_INLINE void put(double* p, const rooftune::Vector<width>& v) {
  Stream ? rooftune::stream<width>(p, v) : rooftune::store<width>(p, v);
}

ROOFTUNE_INLINE rooftune::Vector<width> points(const Stencil& s,
                                               const rooftune::Vector<width>& left,
                                               const rooftune::Vector<width>& here,
                                               const rooftune::Vector<width>& right) {
  return diffusion_body::stepped<form, rooftune::Vector<width>>(s.alpha, s.beta, left, here, right);
}

/// Both neighbours loaded again, from either side.
template <bool Stream>
inline std::int64_t update_reload(const Stencil& s, const double* __restrict x,
                                  double* __restrict y, std::int64_t i, std::int64_t count) {
  using namespace rooftune;
  for (; i + stride <= count; i += stride) {
    prefetch_lines(x + i);
#pragma GCC unroll 16
    for (int u = 0; u < KNOB_UNROLL; ++u) {
      const double* p = x + i + u * width;
      const Vector<width> v =
          points(s, load<width>(p - s.shift), load<width>(p), load<width>(p + s.shift));
      put<Stream>(y + i + u * width, v);
    }
  }
  return i;
}

/// Every element loaded once; neighbours come from the registers of the vectors beside.
template <bool Stream>
inline std::int64_t update_shuffle(const Stencil& s, const double* __restrict x,
                                   double* __restrict y, std::int64_t i, std::int64_t count) {
  using namespace rooftune;
  // Looks a whole vector ahead, of which only the first element is sure to exist.
  const std::int64_t last = count + 1 - width;
  if (i + stride > last) return i;
  Vector<width> before = Vector<width>{} + x[i - 1], here = load<width>(x + i);
  for (; i + stride <= last; i += stride) {
    prefetch_lines(x + i);
#pragma GCC unroll 16
    for (int u = 0; u < KNOB_UNROLL; ++u) {
      const std::int64_t k = i + u * width;
      const Vector<width> next = load<width>(x + k + width);
      const Vector<width> v =
          points(s, shifted_left<width>(before, here), here, shifted_right<width>(here, next));
      put<Stream>(y + k, v);
      before = here;
      here = next;
    }
  }
  return i;
}

/// y_i = alpha x_i + beta (x_{i-shift} + x_{i+shift}) for i in [0, count).
template <bool Stream>
inline void update_line(const Stencil& s, const double* __restrict x, double* __restrict y,
                        std::int64_t count) {
  std::int64_t i = 0;
  if constexpr (written_out || Stream) {
    // Streamed stores fault on unaligned addresses.
    if (Stream || KNOB_ALIGN_STORE)
      for (const std::int64_t first = rooftune::aligned_from<width>(y, 0, count); i < first; ++i)
        y[i] = point(s, x[i - s.shift], x[i], x[i + s.shift]);
    i = KNOB_NEIGHBOUR == KNOB_NEIGHBOUR_SHUFFLE && s.shift == 1
            ? update_shuffle<Stream>(s, x, y, i, count)
            : update_reload<Stream>(s, x, y, i, count);
  }
  for (; i < count; ++i) y[i] = point(s, x[i - s.shift], x[i], x[i + s.shift]);
  if (Stream) rooftune::stream_fence();
}

/// The same over x itself for neighbours one point away; `left` and `right` are the old values
/// beside the line.
inline void update_in_place(const Stencil& s, double* x, std::int64_t count, double left,
                            double right) {
  using namespace rooftune;
  std::int64_t i = 0;
  if (stride < count) {
    Vector<width> before = Vector<width>{} + left;
    // Stops before the last point, whose right neighbour another thread may have stepped already.
    for (; i + stride < count; i += stride) {
      prefetch_lines(x + i);
#pragma GCC unroll 16
      for (int u = 0; u < KNOB_UNROLL; ++u) {
        const std::int64_t k = i + u * width;
        const Vector<width> here = load<width>(x + k);
        const Vector<width> v =
            points(s, shifted_left<width>(before, here), here, load<width>(x + k + 1));
        store<width>(x + k, v);
        before = here;
      }
    }
    left = last<width>(before);
  }
  for (; i < count; ++i) {
    const double here = x[i];
    x[i] = point(s, left, here, i + 1 < count ? x[i + 1] : right);
    left = here;
  }
}

/// y_i = x_i for i in [0, count).
template <bool Stream>
inline void copy_line(const double* __restrict x, double* __restrict y, std::int64_t count) {
  using namespace rooftune;
  std::int64_t i = 0;
  if constexpr (written_out || Stream) {
    if (Stream || KNOB_ALIGN_STORE)
      for (const std::int64_t first = aligned_from<width>(y, 0, count); i < first; ++i) y[i] = x[i];
    for (; i + stride <= count; i += stride) {
      prefetch_lines(x + i);
#pragma GCC unroll 16
      for (int u = 0; u < KNOB_UNROLL; ++u)
        put<Stream>(y + i + u * width, load<width>(x + i + u * width));
    }
  }
  for (; i < count; ++i) y[i] = x[i];
  if (Stream) stream_fence();
}
