// librsb's recursive storage, as assembled or after its own tuner; conversion and tuning are not
// part of the time. The includer defines RSB_TUNER_SECONDS.
#pragma once
#include <omp.h>
#include <rsb.h>

#include <cstdint>
#include <vector>

static rsb_mtx_t* matrix = nullptr;

static std::vector<rsb_coo_idx_t> rows_of(std::int64_t rows, const std::int32_t* row_pointer) {
  std::vector<rsb_coo_idx_t> all;
  for (std::int64_t i = 0; i < rows; ++i)
    all.resize(static_cast<std::size_t>(row_pointer[i + 1]), static_cast<rsb_coo_idx_t>(i));
  return all;
}

void spmv_prepare(std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                  const std::int32_t* row_pointer, const std::int32_t* column, const double* value,
                  const double* x, double* y) {
  rsb_lib_init(RSB_NULL_INIT_OPTIONS);
  rsb_int_t threads = omp_get_max_threads();
  rsb_lib_set_opt(RSB_IO_WANT_EXECUTING_THREADS, &threads);
  const std::vector<rsb_coo_idx_t> row = rows_of(rows, row_pointer);
  rsb_err_t fault = RSB_ERR_NO_ERROR;
  if (matrix) rsb_mtx_free(matrix);
  matrix = rsb_mtx_alloc_from_coo_const(value, row.data(), column, static_cast<rsb_nnz_idx_t>(nnz),
                                        RSB_NUMERICAL_TYPE_DOUBLE, static_cast<rsb_coo_idx_t>(rows),
                                        static_cast<rsb_coo_idx_t>(cols), 1, 1, RSB_FLAG_NOFLAGS,
                                        &fault);
  if (!matrix) throw "librsb refuses the matrix";
  if (RSB_TUNER_SECONDS > 0) {
    const double one = 1, zero = 0;
    rsb_tune_spmm(&matrix, nullptr, nullptr, 2, RSB_TUNER_SECONDS, RSB_TRANSPOSITION_N, &one,
                  nullptr, 1, RSB_FLAG_WANT_ROW_MAJOR_ORDER, x, 1, &zero, y, 1);
  }
}

void spmv(std::int64_t, std::int64_t, std::int64_t, const std::int32_t*, const std::int32_t*,
          const double*, const double* x, double* y) {
  const double alpha = 1, beta = 0;
  rsb_spmv(RSB_TRANSPOSITION_N, &alpha, matrix, x, 1, &beta, y, 1);
}
