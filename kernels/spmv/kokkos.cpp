// Sparse matrix times vector with Kokkos: a row per item, or teams that share some rows among their
// threads and each row among the lanes of a thread. The caller provides rows as in openmp.cpp.
#include "rooftune/kokkos.h"

#include "body.h"
#include "rooftune/kokkos_schedule.h"

using rooftune::Int32;
using rooftune::Int64;

static rooftune::DeviceArray<const std::int32_t> pointer_array, column_array;
static rooftune::DeviceArray<const double> value_array, x_array;
static rooftune::DeviceArray<double> y_array;

void spmv_prepare(std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                  const std::int32_t* row_pointer, const std::int32_t* column, const double* value,
                  const double* x, double* y) {
  pointer_array.copy_in(row_pointer, rows + 1);
  column_array.copy_in(column, nnz);
  value_array.copy_in(value, nnz);
  x_array.copy_in(x, cols);
  y_array.copy_in(y, rows);
}

void spmv(std::int64_t rows, std::int64_t, std::int64_t, const std::int32_t*, const std::int32_t*,
          const double*, const double*, double*) {
  if (rows == 0) return;
  const Int32 *const pointer = pointer_array.data(), *const column = column_array.data();
  const double *const value = value_array.data(), *const x = x_array.data();
  double* const y = y_array.data();
#if KNOB_POLICY == KNOB_POLICY_TEAM
  using Policy = Kokkos::TeamPolicy<rooftune::ExecutionSpace, rooftune::KokkosSchedule>;
  constexpr Int64 share = KNOB_ROWS_PER_TEAM;
  const int league = static_cast<int>((rows + share - 1) / share);
  Policy policy(league, KNOB_TEAM_SIZE, KNOB_VECTOR_LENGTH);
  if (KNOB_CHUNK > 0) policy.set_chunk_size(KNOB_CHUNK);
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Int64 from = team.league_rank() * share;
        const Int64 to = from + share < rows ? from + share : rows;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, from, to), [&](const Int64 i) {
          double row = 0;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(team, static_cast<Int64>(pointer[i]),
                                        static_cast<Int64>(pointer[i + 1])),
              [&](const Int64 k, double& sum) { sum += spmv_kernel::term(k, column, value, x); },
              row);
          Kokkos::single(Kokkos::PerThread(team), [&]() { y[i] = row; });
        });
      });
#else
  using Policy = Kokkos::RangePolicy<rooftune::ExecutionSpace, rooftune::KokkosSchedule,
                                     Kokkos::IndexType<Int64> >;
  Policy policy(0, rows);
  if (KNOB_CHUNK > 0) policy.set_chunk_size(KNOB_CHUNK);
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const Int64 i) {
        y[i] = spmv_kernel::row_sum(pointer[i], pointer[i + 1], column, value, x);
      });
#endif
  Kokkos::fence();
}

void spmv_finish(std::int64_t, std::int64_t, std::int64_t, const std::int32_t*, const std::int32_t*,
                 const double*, const double*, double*) {
  y_array.copy_out();
}
