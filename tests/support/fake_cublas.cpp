// cuBLAS without a card: vectors that are not whole on the card, and another stream than the
// card's, are refused (fake_vendor.h says how it behaves).
#include <set>

#include "support/fake_vendor.h"

using namespace rooftune::test;
using namespace rooftune::test::fake_vendor;

namespace {

constexpr int not_initialized = 1, invalid_value = 7, execution_failed = 13;

struct Handle {
  void* stream;
};

std::set<const void*> alive;

bool is_vector(const double* values, std::int64_t count, int stride) {
  return stride == 1 && is_on_card(values, 8 * static_cast<std::size_t>(count));
}

}  // namespace

extern "C" {

int cublasGetProperty(int type, int* value) { return property(type, value); }
const char* cublasGetStatusName(int status) {
  return status == invalid_value      ? "CUBLAS_STATUS_INVALID_VALUE"
         : status == execution_failed ? "CUBLAS_STATUS_EXECUTION_FAILED"
                                      : "CUBLAS_STATUS_OF_THE_FAKE";
}
int cublasCreate_v2(Handle** handle) {
  if (const int status = told("cublasCreate")) return status;
  if (!has_context()) return not_initialized;
  alive.insert(*handle = new Handle{nullptr});
  log("create handle");
  return 0;
}
int cublasDestroy_v2(Handle* handle) {
  if (!alive.erase(handle)) return not_initialized;
  log("destroy handle");
  delete handle;
  return 0;
}
int cublasSetStream_v2(Handle* handle, void* stream) {
  if (!alive.count(handle)) return not_initialized;
  handle->stream = stream;
  return 0;
}
int cublasDcopy_v2(Handle* handle, int n, const double* x, int x_stride, double* y, int y_stride) {
  if (!alive.count(handle) || !is_vector(x, n, x_stride) || !is_vector(y, n, y_stride))
    return invalid_value;
  for (int i = 0; i < n; ++i) y[i] = x[i];
  return launch(handle->stream, n) ? 0 : execution_failed;
}
int cublasDaxpy_v2(Handle* handle, int n, const double* alpha, const double* x, int x_stride,
                   double* y, int y_stride) {
  if (const int status = told("cublasDaxpy")) return status;
  if (!alive.count(handle) || !is_vector(x, n, x_stride) || !is_vector(y, n, y_stride))
    return invalid_value;
  for (int i = 0; i < n; ++i) y[i] += *alpha * x[i];
  return launch(handle->stream, n) ? 0 : execution_failed;
}
int cublasDgeam(Handle* handle, int transa, int transb, int m, int n, const double* alpha,
                const double* a, int lda, const double* beta, const double* b, int ldb, double* c,
                int ldc) {
  const std::int64_t count = std::int64_t{m} * n;
  if (!alive.count(handle) || transa != 0 || transb != 0 || m < 1 || n < 1 || lda != m ||
      ldb != m || ldc != m || !is_vector(a, count, 1) || !is_vector(b, count, 1) ||
      !is_vector(c, count, 1))
    return invalid_value;
  for (std::int64_t i = 0; i < count; ++i) c[i] = *alpha * a[i] + *beta * b[i];
  return launch(handle->stream, count) ? 0 : execution_failed;
}

}  // extern "C"
