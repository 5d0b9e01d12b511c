// Sparse matrix times vector for OpenMP: with no knob set, a parallel loop over the rows of CSR.
// The caller provides rows with ascending columns and calls spmv_prepare first, again after any
// change of the matrix, of the number of threads or, with a reordering, of x; spmv_finish then
// brings y to its order.
#include <omp.h>

#include <cstdint>

#include "knobs.h"
#include "rows.h"
#if KNOB_FORMAT == KNOB_FORMAT_BCSR
#include "blocks.h"
#elif KNOB_FORMAT == KNOB_FORMAT_SELL
#include "chunks.h"
#endif
#if KNOB_REORDER != KNOB_REORDER_NONE
#include "reorder.h"
#endif

namespace spmv_kernel {
namespace {

/// What prepare built, for the calls until the next prepare.
struct Prepared {
  Shares shares;
  MergePath path;
  RowSet set;
  OwnRows own_rows;
#if KNOB_FORMAT == KNOB_FORMAT_BCSR
  BlockRows blocks;
#elif KNOB_FORMAT == KNOB_FORMAT_SELL
  Chunks chunks;
#endif
#if KNOB_REORDER != KNOB_REORDER_NONE
  Reordering reordering;
  const double* x = nullptr;
#endif
};
Prepared prepared;

/// Rows and strips that the threads take from a schedule at a time.
constexpr std::int64_t strip_rows = 32;

void build(const Source& a) {
  const int threads = omp_get_max_threads();
#if KNOB_FORMAT == KNOB_FORMAT_BCSR
  prepared.blocks.build(a, threads);
#elif KNOB_FORMAT == KNOB_FORMAT_SELL
  prepared.chunks.build(a, threads);
  prepared.path.cut(threads, prepared.chunks.long_rows.set);
#else
  if (has_layout) {
    prepared.own_rows.build(a, a.rows, nullptr, prepared.shares, threads);
    prepared.set = prepared.own_rows.set;
  } else {
    prepared.set = {};
    prepared.set.rows = a.rows;
    prepared.set.pointer = a.pointer;
    prepared.set.value = a.value;
    prepared.set.wide = a.column;
    prepared.set.entries = a.pointer[a.rows];
    prepared.shares.cut(threads, a.rows,
                        [&](std::int64_t i) { return std::int64_t{a.pointer[i]}; });
  }
  prepared.path.cut(threads, prepared.set);
#endif
}

#if KNOB_FORMAT == KNOB_FORMAT_CSR && KNOB_SPLIT == KNOB_SPLIT_MERGE
void multiply(const double* x, double* y) {
#pragma omp parallel
  {
    const int team = omp_get_num_threads();
    for (int t = omp_get_thread_num(); t < prepared.path.count; t += team)
      prepared.path.multiply(prepared.set, t, x, y);
    if (KNOB_NT_STORE) rooftune::stream_fence();
  }
  prepared.path.fix_up(prepared.set, y);
}
#elif KNOB_FORMAT == KNOB_FORMAT_CSR
void multiply(const double* x, double* y) {
  const Schedule schedule = Schedule::now();
#pragma omp parallel
  {
    for_share(
        prepared.set.rows, strip_rows, prepared.shares, schedule,
        [&](std::int64_t from, std::int64_t to) { multiply_rows(prepared.set, from, to, x, y); });
    if (KNOB_NT_STORE) rooftune::stream_fence();
  }
}
#elif KNOB_FORMAT == KNOB_FORMAT_BCSR
void multiply(const double* x, double* y) {
  const Schedule schedule = Schedule::now();
  constexpr std::int64_t strip = strip_rows / BlockRows::height;
#pragma omp parallel
  {
    for_share(
        prepared.blocks.count(), strip, prepared.blocks.shares, schedule,
        [&](std::int64_t from, std::int64_t to) { prepared.blocks.multiply(from, to, x, y); });
    if (KNOB_NT_STORE) rooftune::stream_fence();
  }
}
#else
void multiply(const double* x, double* y) {
  const Schedule schedule = Schedule::now();
  constexpr std::int64_t strip = strip_rows / Chunks::height;
  const Chunks& chunks = prepared.chunks;
#pragma omp parallel
  {
    for_share(chunks.count(), strip, chunks.shares, schedule,
              [&](std::int64_t from, std::int64_t to) { chunks.multiply(from, to, x, y); });
    // Every thread takes an equal part of the rows that are too long for chunks.
    const int team = omp_get_num_threads();
    if (chunks.has_long_rows())
      for (int t = omp_get_thread_num(); t < prepared.path.count; t += team)
        prepared.path.multiply(chunks.long_rows.set, t, x, y);
    if (KNOB_NT_STORE) rooftune::stream_fence();
  }
  if (chunks.has_long_rows()) prepared.path.fix_up(chunks.long_rows.set, y);
}
#endif

}  // namespace
}  // namespace spmv_kernel

#if KNOB_FORMAT == KNOB_FORMAT_CSR && KNOB_SPLIT == KNOB_SPLIT_ROWS && KNOB_SIMD_WIDTH == 1 && \
    KNOB_UNROLL == 1 && KNOB_PREFETCH == 0 && KNOB_INDEX_BITS == 32 && !KNOB_NT_STORE &&       \
    !KNOB_LAYOUT_HUGE_PAGES && KNOB_REORDER == KNOB_REORDER_NONE &&                            \
    KNOB_FIRST_TOUCH == KNOB_FIRST_TOUCH_SERIAL
#define SPMV_BASELINE 1
#endif

void spmv(std::int64_t rows, std::int64_t, std::int64_t, const std::int32_t* row_pointer,
          const std::int32_t* column, const double* value, const double* x, double* y) {
#ifdef SPMV_BASELINE
  if (spmv_kernel::Schedule::now().contiguous) {
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
  x = spmv_kernel::prepared.x;
#endif
  spmv_kernel::multiply(x, y);
}

void spmv_prepare(std::int64_t rows, std::int64_t cols, std::int64_t,
                  const std::int32_t* row_pointer, const std::int32_t* column, const double* value,
                  const double* x, double*) {
  using namespace spmv_kernel;
  Source a{rows, cols, row_pointer, column, value};
#if KNOB_REORDER != KNOB_REORDER_NONE
  a = prepared.reordering.apply(a);
  prepared.x = prepared.reordering.permuted_x(x);
  build(a);
  prepared.reordering.release_matrix();
#else
  (void)x;
  build(a);
#endif
}

void spmv_finish(std::int64_t, std::int64_t, std::int64_t, const std::int32_t*, const std::int32_t*,
                 const double*, const double*, double* y) {
#if KNOB_REORDER != KNOB_REORDER_NONE
  spmv_kernel::prepared.reordering.restore(y);
#else
  (void)y;
#endif
}
