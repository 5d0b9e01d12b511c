// Complex arrays over G vectors in the layout of the variant, and vectors of them.
// The caller builds own layouts once (prepare); there they end in zeros up to whole steps.
#pragma once
#include "body.h"
#include "knobs.h"
#include "rooftune/scratch.h"

namespace sigma_gpp {

/// Element (i, j): i is the G vector, j a band or a G'.
struct Field {
  const double* data = nullptr;
  std::int64_t length = 0;     ///< of i
  std::int64_t row = 0;        ///< doubles from j to j + 1
  std::int64_t block = 0;      ///< tiled: doubles from one vector of i to the next
  std::int64_t imaginary = 0;  ///< split: doubles from a real part to its imaginary part
};

/// W pairs of doubles taken apart.
template <int W>
ROOFTUNE_INLINE Complex<rooftune::Vector<W>> pairs(const double* p) {
  using rooftune::load;
  if constexpr (W == 1) {
    return {p[0], p[1]};
  } else {
    const auto low = load<W>(p), high = load<W>(p + W);
    if constexpr (W == 2)
      return {__builtin_shufflevector(low, high, 0, 2), __builtin_shufflevector(low, high, 1, 3)};
    else if constexpr (W == 4)
      return {__builtin_shufflevector(low, high, 0, 2, 4, 6),
              __builtin_shufflevector(low, high, 1, 3, 5, 7)};
    else
      return {__builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14),
              __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15)};
  }
}

/// The last G vectors of a row, zeros behind them.
template <int W>
ROOFTUNE_INLINE Complex<rooftune::Vector<W>> last_pairs(const double* p, std::int64_t count) {
  double kept[2 * W] = {};
  for (std::int64_t k = 0; k < 2 * count; ++k) kept[k] = p[k];
  return pairs<W>(kept);
}

/// Elements i .. i + width of column j; zeros beyond the last.
ROOFTUNE_INLINE Complex<V> at(const Field& f, std::int64_t j, std::int64_t i) {
#if KNOB_LAYOUT == KNOB_LAYOUT_SPLIT
  const double* const p = f.data + j * f.row + i;
  if (KNOB_PREFETCH > 0) {
    rooftune::prefetch(p, KNOB_PREFETCH);
    rooftune::prefetch(p + f.imaginary, KNOB_PREFETCH);
  }
  return {rooftune::load<width>(p), rooftune::load<width>(p + f.imaginary)};
#elif KNOB_LAYOUT == KNOB_LAYOUT_TILED
  const double* const p = f.data + j * f.row + i / width * f.block;
  if (KNOB_PREFETCH > 0) {
    rooftune::prefetch(p, KNOB_PREFETCH);
    if (width > 4) rooftune::prefetch(p + 8, KNOB_PREFETCH);
  }
  return {rooftune::load<width>(p), rooftune::load<width>(p + width)};
#else
  const double* const p = f.data + j * f.row + 2 * i;
  if (KNOB_PREFETCH > 0) {
    rooftune::prefetch(p, KNOB_PREFETCH);
    if (width > 4) rooftune::prefetch(p + 8, KNOB_PREFETCH);
  }
  if (stride > 1 && i + width > f.length)
    return last_pairs<width>(p, i < f.length ? f.length - i : 0);
  return pairs<width>(p);
#endif
}

/// G vectors rounded up to whole steps.
inline std::int64_t whole_steps(std::int64_t count) {
  return (count + stride - 1) / stride * stride;
}

/// The caller's array as it is.
inline Field callers(const double* data, std::int64_t length) {
  return {data, length, 2 * length, 0, 0};
}

/// Strides of an own layout without data. `bands`: j is the band, else G'. Tiles of the same i lie
/// side by side where the loop over j is inside the one over i.
inline Field laid_out(std::int64_t length, std::int64_t columns, bool bands) {
  const std::int64_t whole = whole_steps(length);
#if KNOB_LAYOUT == KNOB_LAYOUT_SPLIT
  (void)bands;
  const std::int64_t row = (whole + 7) / 8 * 8 + KNOB_PAD;
  return {nullptr, length, row, 0, row * columns + KNOB_PAD};
#elif KNOB_LAYOUT == KNOB_LAYOUT_TILED
  if (bands ? bands_inside : KNOB_ORDER == KNOB_ORDER_I_G_N)
    return {nullptr, length, 2 * width, 2 * width * columns + KNOB_PAD, 0};
  return {nullptr, length, 2 * whole + KNOB_PAD, 2 * width, 0};
#else
  (void)columns, (void)bands;
  return {nullptr, length, 2 * whole + KNOB_PAD, 0, 0};
#endif
}

inline std::int64_t doubles(const Field& f, std::int64_t columns) {
  const std::int64_t blocks = whole_steps(f.length) / width;
  const std::int64_t all = f.block > f.row ? blocks * f.block : columns * f.row;
  return (f.imaginary > 0 ? 2 * f.imaginary : all) + 64;
}

inline void put(double* data, const Field& f, std::int64_t j, std::int64_t i,
                const Complex<double>& z) {
#if KNOB_LAYOUT == KNOB_LAYOUT_SPLIT
  double* const p = data + j * f.row + i;
  p[0] = z.re;
  p[f.imaginary] = z.im;
#elif KNOB_LAYOUT == KNOB_LAYOUT_TILED
  double* const p = data + j * f.row + i / width * f.block + i % width;
  p[0] = z.re;
  p[width] = z.im;
#else
  data[j * f.row + 2 * i] = z.re;
  data[j * f.row + 2 * i + 1] = z.im;
#endif
}

/// Fills an own layout: element(j, i) for every column.
template <class Element>
inline Field build(rooftune::Scratch& memory, std::int64_t length, std::int64_t columns, bool bands,
                   const Element& element) {
  Field f = laid_out(length, columns, bands);
  double* const data = memory.reserve(doubles(f, columns), KNOB_LAYOUT_HUGE_PAGES);
  const std::int64_t whole = whole_steps(length);
#pragma omp parallel for schedule(static)
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < whole; ++i)
      put(data, f, j, i, i < length ? element(j, i) : Complex<double>{0, 0});
  f.data = data;
  return f;
}

}  // namespace sigma_gpp
