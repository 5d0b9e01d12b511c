// Sparse matrix times vector in CUDA: rows of CSR with one to 32 threads each, adaptive ranges of
// rows, equal steps of the merge path, chunks of rows side by side, or register blocks. The caller
// provides rows with ascending columns and calls spmv_prepare again after any change of them.
#include "cuda_knobs.h"
#if KNOB_METHOD == KNOB_METHOD_ROWS
#include "cuda_csr.h"
#elif KNOB_METHOD == KNOB_METHOD_ADAPTIVE
#include "cuda_adaptive_csr.h"
#elif KNOB_METHOD == KNOB_METHOD_MERGE
#include "cuda_merge_csr.h"
#elif KNOB_METHOD == KNOB_METHOD_SELL
#include "cuda_sell_c_sigma.h"
#else
#include "cuda_bcsr.h"
#endif

#if ROOFTUNE_HOST

#if KNOB_REORDER != KNOB_REORDER_NONE
#include "reorder.h"
#endif

namespace {

spmv_kernel::Layout layout;
rooftune::DeviceBuffer<double> x_on_card, y_on_card;
#if KNOB_REORDER != KNOB_REORDER_NONE
spmv_kernel::Reordering reordering;
#endif

/// Elements of x that a register block may touch beyond the last column.
constexpr std::int64_t x_beyond = 8;

}  // namespace

void spmv_prepare(std::int64_t rows, std::int64_t cols, std::int64_t,
                  const std::int32_t* row_pointer, const std::int32_t* column, const double* value,
                  const double* x, double*) {
  rooftune::cuda->prefer_shared(KNOB_CARVEOUT);
  y_on_card.reserve(rows);
  if (rows == 0) return;
#if KNOB_REORDER != KNOB_REORDER_NONE
  const spmv_kernel::Csr a = reordering.apply({rows, cols, row_pointer, column, value});
  spmv_kernel::copy_padded(x_on_card, reordering.permuted_x(x), cols, x_beyond);
  layout.build({a.rows, a.cols, a.pointer, a.column, a.value});
  reordering.release_matrix();
#else
  spmv_kernel::copy_padded(x_on_card, x, cols, x_beyond);
  layout.build({rows, cols, row_pointer, column, value});
#endif
}

void spmv(std::int64_t rows, std::int64_t, std::int64_t, const std::int32_t*, const std::int32_t*,
          const double*, const double*, double*) {
  if (rows > 0) layout.multiply(x_on_card.data(), y_on_card.data());
}

void spmv_finish(std::int64_t rows, std::int64_t, std::int64_t, const std::int32_t*,
                 const std::int32_t*, const double*, const double*, double* y) {
  y_on_card.copy_out(y, rows);
#if KNOB_REORDER != KNOB_REORDER_NONE
  reordering.restore(y);
#endif
}

#endif
