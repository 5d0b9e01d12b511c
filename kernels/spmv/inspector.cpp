// A matrix as an exported library sees it before it chooses a variant: the facts that
// kernel.json lists, in its order. The caller gives rows with ascending, distinct columns.
#include <cstdint>

#include "matrix_facts.h"

void spmv_inspect(std::int64_t rows, std::int64_t cols, std::int64_t,
                  const std::int32_t* row_pointer, const std::int32_t* column, const double* value,
                  const double*, double*, double* facts) {
  using namespace spmv_kernel;
  const Csr a{rows, cols, row_pointer, column, value};
  MatrixFacts found;
  std::vector<std::int32_t> next(static_cast<std::size_t>(rows));
  count_rows(a, found);
  found.blocks = BlockCounter(a).counts();
  *facts++ = found.mean_row;
  *facts++ = static_cast<double>(found.max_row);
  *facts++ = found.row_variation;
  *facts++ = static_cast<double>(found.bandwidth);
  *facts++ = is_symmetric(a, next.data());
  *facts++ = fit_single(a);
  for (int k = 1; k < side_count; ++k) *facts++ = found.fill(k, a.entries());
}
