// cuSPARSE's product of a CSR matrix and a vector, on the card. The copies, the library's buffer
// and its analysis of the matrix are not part of the time. The includer defines CUSPARSE_ALGORITHM.
#pragma once
#include "cusparse_api.h"
#include "rooftune/gpu.h"

namespace {

constexpr double one = 1, zero = 0;

/// What belongs to one prepared matrix; it goes with the next one, and with the peer.
struct Product {
  std::unique_ptr<cusparse::Library> library;
  cusparse::Matrix matrix = nullptr;
  cusparse::Vector x = nullptr, y = nullptr;
  rooftune::DeviceBuffer<std::int32_t> pointer_on_card, column_on_card;
  rooftune::DeviceBuffer<double> value_on_card, x_on_card, y_on_card;
  rooftune::DeviceBuffer<char> buffer;

  ~Product() { forget(); }
  void forget() {
    if (x) library->DestroyDnVec(x);
    if (y) library->DestroyDnVec(y);
    if (matrix) library->DestroySpMat(matrix);
    x = y = nullptr;
    matrix = nullptr;
  }
  void describe(std::int64_t rows, std::int64_t cols, std::int64_t nnz) {
    using namespace cusparse;
    library->check(
        library->CreateCsr(&matrix, rows, cols, nnz, pointer_on_card.data(), column_on_card.data(),
                           value_on_card.data(), index_int32, index_int32, base_zero, real_double),
        "cusparseCreateCsr");
    library->check(library->CreateDnVec(&x, cols, x_on_card.data(), real_double),
                   "cusparseCreateDnVec");
    library->check(library->CreateDnVec(&y, rows, y_on_card.data(), real_double),
                   "cusparseCreateDnVec");
  }
  void analyse() {
    using namespace cusparse;
    std::size_t bytes = 0;
    library->check(library->SpMV_bufferSize(library->handle, not_transposed, &one, matrix, x, &zero,
                                            y, real_double, CUSPARSE_ALGORITHM, &bytes),
                   "cusparseSpMV_bufferSize");
    buffer.reserve(static_cast<std::int64_t>(bytes));
    if (library->SpMV_preprocess)
      library->check(
          library->SpMV_preprocess(library->handle, not_transposed, &one, matrix, x, &zero, y,
                                   real_double, CUSPARSE_ALGORITHM, buffer.data()),
          "cusparseSpMV_preprocess");
  }
  void multiply() const {
    using namespace cusparse;
    library->check(library->SpMV(library->handle, not_transposed, &one, matrix, x, &zero, y,
                                 real_double, CUSPARSE_ALGORITHM, buffer.data()),
                   "cusparseSpMV");
  }
};

Product product;

}  // namespace

void spmv_prepare(std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                  const std::int32_t* row_pointer, const std::int32_t* column, const double* value,
                  const double* x, double*) {
  if (!product.library) product.library = rooftune::started<cusparse::Library>(cusparse::names());
  product.library->check(product.library->SetStream(product.library->handle,  //
                                                    rooftune::cuda->stream()),
                         "cusparseSetStream");
  product.forget();
  product.pointer_on_card.copy_in(row_pointer, rows + 1);
  product.column_on_card.copy_in(column, nnz);
  product.value_on_card.copy_in(value, nnz);
  product.x_on_card.copy_in(x, cols);
  product.y_on_card.reserve(rows);
  product.describe(rows, cols, nnz);
  product.analyse();
}

void spmv(std::int64_t, std::int64_t, std::int64_t, const std::int32_t*, const std::int32_t*,
          const double*, const double*, double*) {
  product.multiply();
}

void spmv_finish(std::int64_t rows, std::int64_t, std::int64_t, const std::int32_t*,
                 const std::int32_t*, const double*, const double*, double* y) {
  product.y_on_card.copy_out(y, rows);
}
