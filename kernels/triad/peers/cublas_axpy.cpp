// a = b, a += s c: cuBLAS's axpy updates what it reads, so that a copy comes first.
#include "cublas_vectors.h"

void triad(std::int64_t n, double s, const double*, const double*, double*) {
  const auto count = static_cast<int>(n);
  library->check(library->Dcopy(library->handle, count, b_on_card.data(), 1, a_on_card.data(), 1),
                 "cublasDcopy");
  library->check(
      library->Daxpy(library->handle, count, &s, c_on_card.data(), 1, a_on_card.data(), 1),
      "cublasDaxpy");
}
