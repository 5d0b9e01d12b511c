// cuSPARSE without a card, as strict as it need be: what is not described, analysed and on the
// card's stream in the right order is refused (fake_vendor.h says how it behaves). Besides,
// FAKE_CUDA's "wrong=1" adds 1 to each element of a product.
#include <set>

#include "support/fake_vendor.h"

using namespace rooftune::test;
using namespace rooftune::test::fake_vendor;

namespace {

constexpr int not_initialized = 1, invalid_value = 3, execution_failed = 6;
constexpr int int32_index = 2, real_double = 1;
constexpr std::size_t needed = 1000;  ///< bytes of the buffer

struct Handle {
  void* stream;
};
struct Matrix {
  std::int64_t rows, cols;
  const std::int32_t *pointer, *column;
  const double* value;
  const void* analysed_in = nullptr;
  int algorithm = -1;
};
struct Vector {
  std::int64_t size;
  double* values;
};

std::set<const void*> alive;

bool is_product(const void* handle, int operation, const Matrix* a, const Vector* x,
                const Vector* y, int type, int algorithm) {
  return alive.count(handle) && alive.count(a) && alive.count(x) && alive.count(y) &&
         operation == 0 && a->cols == x->size && a->rows == y->size && type == real_double &&
         (algorithm == 2 || algorithm == 3);
}

template <class Thing>
int made(Thing** result, Thing* thing, const char* what) {
  alive.insert(*result = thing);
  log(what);
  return 0;
}

template <class Thing>
int destroyed(Thing* thing, const char* what) {
  if (!alive.erase(thing)) return invalid_value;
  log(what);
  delete thing;
  return 0;
}

}  // namespace

extern "C" {

int cusparseGetProperty(int type, int* value) { return property(type, value); }
const char* cusparseGetErrorName(int status) {
  switch (status) {
    case not_initialized:
      return "CUSPARSE_STATUS_NOT_INITIALIZED";
    case 2:
      return "CUSPARSE_STATUS_ALLOC_FAILED";
    case invalid_value:
      return "CUSPARSE_STATUS_INVALID_VALUE";
    case execution_failed:
      return "CUSPARSE_STATUS_EXECUTION_FAILED";
    default:
      return "CUSPARSE_STATUS_OF_THE_FAKE";
  }
}
int cusparseCreate(Handle** handle) {
  if (const int status = told("cusparseCreate")) return status;
  if (!has_context()) return not_initialized;
  return made(handle, new Handle{nullptr}, "create handle");
}
int cusparseDestroy(Handle* handle) { return destroyed(handle, "destroy handle"); }
int cusparseSetStream(Handle* handle, void* stream) {
  if (!alive.count(handle)) return not_initialized;
  handle->stream = stream;
  return 0;
}
int cusparseCreateCsr(Matrix** matrix, std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                      void* pointer, void* column, void* value, int pointer_type, int column_type,
                      int base, int value_type) {
  if (const int status = told("cusparseCreateCsr")) return status;
  const auto entries = static_cast<std::size_t>(nnz);
  if (!is_on_card(pointer, 4 * static_cast<std::size_t>(rows + 1)) ||
      !is_on_card(column, 4 * entries) || !is_on_card(value, 8 * entries) ||
      pointer_type != int32_index || column_type != int32_index || base != 0 ||
      value_type != real_double)
    return invalid_value;
  return made(matrix,
              new Matrix{rows, cols, static_cast<std::int32_t*>(pointer),
                         static_cast<std::int32_t*>(column), static_cast<double*>(value)},
              "create matrix");
}
int cusparseDestroySpMat(Matrix* matrix) { return destroyed(matrix, "destroy matrix"); }
int cusparseCreateDnVec(Vector** vector, std::int64_t size, void* values, int type) {
  if (!is_on_card(values, 8 * static_cast<std::size_t>(size)) || type != real_double)
    return invalid_value;
  return made(vector, new Vector{size, static_cast<double*>(values)}, "create vector");
}
int cusparseDestroyDnVec(Vector* vector) { return destroyed(vector, "destroy vector"); }
int cusparseSpMV_bufferSize(Handle* handle, int operation, const double*, Matrix* a, Vector* x,
                            const double*, Vector* y, int type, int algorithm, std::size_t* bytes) {
  if (!is_product(handle, operation, a, x, y, type, algorithm)) return invalid_value;
  *bytes = needed;
  return 0;
}
int cusparseSpMV_preprocess(Handle* handle, int operation, const double*, Matrix* a, Vector* x,
                            const double*, Vector* y, int type, int algorithm, void* buffer) {
  if (!is_product(handle, operation, a, x, y, type, algorithm) || !is_on_card(buffer, needed))
    return invalid_value;
  a->analysed_in = buffer;
  a->algorithm = algorithm;
  return launch(handle->stream, a->rows) ? 0 : execution_failed;
}
int cusparseSpMV(Handle* handle, int operation, const double* alpha, Matrix* a, Vector* x,
                 const double* beta, Vector* y, int type, int algorithm, void* buffer) {
  if (const int status = told("cusparseSpMV")) return status;
  if (!is_product(handle, operation, a, x, y, type, algorithm) || a->analysed_in != buffer ||
      a->algorithm != algorithm)
    return invalid_value;
  for (std::int64_t i = 0; i < a->rows; ++i) {
    double sum = fake_card::number("wrong");
    for (std::int32_t k = a->pointer[i]; k < a->pointer[i + 1]; ++k)
      sum += a->value[k] * x->values[a->column[k]];
    // What y held must not matter where beta is zero: it is NaN.
    y->values[i] = *alpha * sum + (*beta == 0 ? 0 : *beta * y->values[i]);
  }
  return launch(handle->stream, a->rows) ? 0 : execution_failed;
}

}  // extern "C"
