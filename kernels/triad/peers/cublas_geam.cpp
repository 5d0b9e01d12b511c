// a = 1 b + s c as the sum of two matrices: cuBLAS's own function of exactly this form.
#include "cublas_vectors.h"

namespace {

/// Of each column where the vector has whole ones; else it is one column.
constexpr std::int64_t usual_rows = 4096;

}  // namespace

void triad(std::int64_t n, double s, const double*, const double*, double*) {
  using cublas::not_transposed;
  const double one = 1;
  const auto rows = static_cast<int>(n % usual_rows == 0 ? usual_rows : n);
  const auto columns = static_cast<int>(n / rows);
  library->check(
      library->Dgeam(library->handle, not_transposed, not_transposed, rows, columns, &one,
                     b_on_card.data(), rows, &s, c_on_card.data(), rows, a_on_card.data(), rows),
      "cublasDgeam");
}
