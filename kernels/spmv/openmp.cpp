// Sparse matrix times vector for OpenMP: with every knob at its default, a parallel loop over the
// rows of CSR. The caller provides rows with ascending columns and calls spmv_prepare first, again
// after any change of the matrix, of the number of threads or, with a reordering, of x; spmv_finish
// then brings y to its order.
#include <omp.h>

#include <cstdint>

#include "knobs.h"
#include "rooftune/kept.h"
#ifdef ROOFTUNE_LIBRARY
#include "matrix_values.h"
#include "refill.h"
#endif
#include "rows.h"
#if KNOB_FORMAT == KNOB_FORMAT_BCSR && KNOB_HALF
#include "symmetric_bcsr.h"
#elif KNOB_FORMAT == KNOB_FORMAT_BCSR
#include "bcsr.h"
#elif KNOB_FORMAT == KNOB_FORMAT_SELL
#include "sell_c_sigma.h"
#elif KNOB_FORMAT == KNOB_FORMAT_TILES
#include "csr5.h"
#elif KNOB_HALF
#include "symmetric_csr.h"
#elif KNOB_BAND_COLUMNS > 0
#include "cache_blocked_csr.h"
#endif
#if KNOB_REORDER != KNOB_REORDER_NONE
#include "reorder.h"
#endif

namespace spmv_kernel {
namespace {

/// Rows and strips that the threads take from a schedule at a time.
constexpr std::int64_t strip_rows = 32;

#if KNOB_FORMAT == KNOB_FORMAT_CSR && !KNOB_HALF && KNOB_BAND_COLUMNS == 0
/// Rows, the caller's or own ones.
struct PlainRows {
  Shares shares;
  RowPath path;
  RowSet set;
  OwnRows own_rows;

  void build(const Csr& a, int threads) {
    if constexpr (has_layout) {
      own_rows.build(a, a.rows, nullptr, shares, threads);
      set = own_rows.set;
    } else {
      use_callers(a, threads);
    }
    path.cut(threads, set);
  }

  void use_callers(const Csr& a, int threads) {
#if KNOB_VALUE_BITS == 64
    set = {{a.rows, a.pointer, a.value, {a.column}}, nullptr, a.entries()};
#endif
    shares.cut(threads, a.rows, [&](std::int64_t i) { return std::int64_t{a.pointer[i]}; });
  }

  /// visit(array) for each that holds values.
  template <class Visit>
  void each_value_array(const Visit& visit) {
    visit(own_rows.value);
  }

  std::int64_t count() const { return set.rows; }
  template <class Y>
  void multiply(std::int64_t from, std::int64_t to, const double* x, Y y) const {
    multiply_rows(set, from, to, x, y);
  }
  template <class Y>
  void multiply_path(int t, const double* x, Y y) const {
    path.multiply(set, t, x, y);
  }
  template <class Y>
  void fix_up(Y y) const {
    path.fix_up(set, y);
  }
};
using Layout = PlainRows;
constexpr std::int64_t strip = strip_rows;
#elif KNOB_FORMAT == KNOB_FORMAT_CSR && KNOB_HALF
using Layout = SymmetricCsr;
#elif KNOB_FORMAT == KNOB_FORMAT_CSR
using Layout = CacheBlockedCsr;
#elif KNOB_FORMAT == KNOB_FORMAT_BCSR && KNOB_HALF
using Layout = SymmetricBcsr;
#elif KNOB_FORMAT == KNOB_FORMAT_BCSR
using Layout = Bcsr;
constexpr std::int64_t strip = strip_rows / Bcsr::height;
#elif KNOB_FORMAT == KNOB_FORMAT_TILES
using Layout = Csr5;
#else
using Layout = SellCSigma;
constexpr std::int64_t strip = strip_rows / SellCSigma::height;
#endif

/// What prepare built, for the calls until the next prepare.
struct Prepared {
  Layout layout;
#ifdef ROOFTUNE_LIBRARY
  Csr matrix;
  Refill<Layout> refill;
#endif
#if KNOB_FORMAT == KNOB_FORMAT_SELL
  RowPath long_path;
#endif
#if KNOB_REORDER != KNOB_REORDER_NONE
  Reordering reordering;
  const double* x = nullptr;
#endif
};
rooftune::Kept<Prepared> kept;

void build(const Csr& a) {
  const int threads = omp_get_max_threads();
#ifdef ROOFTUNE_LIBRARY
  kept->matrix = a;
#endif
  kept->layout.build(a, threads);
#if KNOB_FORMAT == KNOB_FORMAT_SELL
  kept->long_path.cut(threads, kept->layout.long_rows.set);
#endif
}

/// Shares 0 to count - 1, by a team that may be smaller.
template <class Body>
void for_shares(int count, const Body& body) {
  for (int t = omp_get_thread_num(); t < count; t += omp_get_num_threads()) body(t);
}

/// By all threads. One alone needs no region, which would cost it as much as a few hundred entries.
template <class Body>
void by_team(const Body& body) {
  if (omp_get_max_threads() == 1 && !omp_in_parallel()) return body();
#pragma omp parallel
  body();
}

#if KNOB_HALF
template <class Y>
void multiply(const double* x, Y y) {
  by_team([&] {
    kept->layout.multiply(x, y);
#pragma omp barrier
    kept->layout.collect(y);
  });
}
#elif KNOB_FORMAT == KNOB_FORMAT_TILES
template <class Y>
void multiply(const double* x, Y y) {
  by_team([&] {
    for_shares(kept->layout.shares.count, [&](int t) { kept->layout.multiply(t, x, y); });
  });
  kept->layout.fix_up(y);
}
#elif KNOB_BAND_COLUMNS > 0
template <class Y>
void multiply(const double* x, Y y) {
  const Schedule schedule = Schedule{};
  by_team([&] {
    for_share(kept->layout.count(), 1, kept->layout.shares, schedule,
              [&](std::int64_t from, std::int64_t to) { kept->layout.multiply(from, to, x, y); });
  });
}
#else
template <class Y>
void multiply(const double* x, Y y) {
  const Schedule schedule = Schedule::now();
  const Layout& layout = kept->layout;
  by_team([&] {
#if KNOB_SPLIT == KNOB_SPLIT_MERGE
    (void)schedule;
    for_shares(layout.path.count, [&](int t) { layout.multiply_path(t, x, y); });
#else
    for_share(layout.count(), strip, layout.shares, schedule,
              [&](std::int64_t from, std::int64_t to) { layout.multiply(from, to, x, y); });
#endif
#if KNOB_FORMAT == KNOB_FORMAT_SELL
    // Every thread takes an equal part of the rows that are too long for chunks.
    if (layout.has_long_rows())
      for_shares(kept->long_path.count,
                 [&](int t) { kept->long_path.multiply(layout.long_rows.set, t, x, y); });
#endif
    if (KNOB_NT_STORE) rooftune::stream_fence();
  });
#if KNOB_SPLIT == KNOB_SPLIT_MERGE
  layout.fix_up(y);
#endif
#if KNOB_FORMAT == KNOB_FORMAT_SELL
  if (layout.has_long_rows()) kept->long_path.fix_up(layout.long_rows.set, y);
#endif
}
#endif

}  // namespace
}  // namespace spmv_kernel

#if KNOB_FORMAT == KNOB_FORMAT_CSR && KNOB_SPLIT == KNOB_SPLIT_ROWS && KNOB_SIMD_WIDTH == 1 &&  \
    KNOB_UNROLL == 1 && KNOB_PREFETCH == 0 && KNOB_INDEX_BITS == 32 && !KNOB_NT_STORE &&        \
    !KNOB_LAYOUT_HUGE_PAGES && KNOB_VALUE_BITS == 64 && !KNOB_HALF && KNOB_BAND_COLUMNS == 0 && \
    KNOB_REORDER == KNOB_REORDER_NONE && KNOB_FIRST_TOUCH == KNOB_FIRST_TOUCH_SERIAL
#define SPMV_BASELINE 1
#endif

void spmv(std::int64_t rows, std::int64_t, std::int64_t, const std::int32_t* row_pointer,
          const std::int32_t* column, const double* value, const double* x, double* y) {
#ifdef SPMV_BASELINE
#ifdef ROOFTUNE_LIBRARY
  const bool alone = omp_get_max_threads() == 1;
#else
  constexpr bool alone = false;
#endif
  if (spmv_kernel::Schedule::now().contiguous && !alone) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < rows; ++i) {
      double sum = 0;
      for (std::int32_t k = row_pointer[i]; k < row_pointer[i + 1]; ++k)
        sum += value[k] * x[column[k]];
      y[i] = sum;
    }
    return;
  }
#endif
  (void)rows;
  (void)row_pointer;
  (void)column;
  (void)value;
#if KNOB_REORDER != KNOB_REORDER_NONE
  x = spmv_kernel::kept->x;
#endif
  spmv_kernel::multiply(x, y);
}

void spmv_prepare(std::int64_t rows, std::int64_t cols, std::int64_t,
                  const std::int32_t* row_pointer, const std::int32_t* column, const double* value,
                  const double* x, double*) {
  using namespace spmv_kernel;
  Csr a{rows, cols, row_pointer, column, value};
#ifdef ROOFTUNE_LIBRARY
  kept->refill.forget();
#endif
#if KNOB_REORDER != KNOB_REORDER_NONE
  a = kept->reordering.apply(a);
  kept->x = kept->reordering.permuted_x(x);
  build(a);
  kept->reordering.release_matrix();
#else
  (void)x;
  build(a);
#endif
}

void spmv_finish(std::int64_t, std::int64_t, std::int64_t, const std::int32_t*, const std::int32_t*,
                 const double*, const double*, double* y) {
#if KNOB_REORDER != KNOB_REORDER_NONE
  spmv_kernel::kept->reordering.restore(y);
#else
  (void)y;
#endif
}

#ifdef ROOFTUNE_LIBRARY
// For applications that link a variant, after spmv_prepare: any vectors, and other values. False:
// the variant's layout is not right for them, and it is as it was.

bool spmv_multiply(double alpha, const double* x, double beta, double* y) {
  using namespace spmv_kernel;
  // A reordered x is the one that was prepared.
  if (KNOB_REORDER != KNOB_REORDER_NONE) return false;
  const Csr& a = kept->matrix;
  if (alpha == 1 && beta == 0)
    spmv(a.rows, a.cols, a.entries(), a.pointer, a.column, a.value, x, y);
  else
    multiply(x, Scaled{y, alpha, beta});
  return true;
}

bool spmv_update(const double* value) {
  using namespace spmv_kernel;
  if (KNOB_REORDER != KNOB_REORDER_NONE) return false;
  Csr& a = kept->matrix;
  const Csr fresh{a.rows, a.cols, a.pointer, a.column, value};
  if (KNOB_VALUE_BITS == 32 && !fit_single(fresh)) return false;
  Array<std::int32_t> next;
  if (KNOB_HALF) next.make(a.rows);
  if (KNOB_HALF && !is_symmetric(fresh, next.at)) return false;
  a.value = value;
  const int threads = omp_get_max_threads();
  if (!has_layout || !kept->refill.find(a, threads))
    build(a);
  else
    kept->refill.fill(kept->layout, value);
  return true;
}
#endif
