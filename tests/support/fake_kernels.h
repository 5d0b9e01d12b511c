// The kernels that the stand-in for NVIDIA's driver computes, over host memory: those whose results
// tests compare. Arguments are as a launch passes them.
#pragma once
#include <cstdint>
#include <string>

namespace rooftune::test {

/// a = b + s c, as the kernel's parameters say.
inline void run_triad(void** arguments) {
  const long n = *static_cast<long*>(arguments[0]);
  const double s = *static_cast<double*>(arguments[1]);
  const double *const b = *static_cast<const double**>(arguments[2]),
                      *const c = *static_cast<const double**>(arguments[3]);
  double* const a = *static_cast<double**>(arguments[4]);
  for (long i = 0; i < n; ++i) a[i] = b[i] + s * c[i];
}

/// y = A x of rows with 32-bit columns and 64-bit values, as the kernel's parameters say.
inline void run_spmv(void** arguments) {
  struct Rows {
    std::int64_t rows;
    const std::int32_t* pointer;
    const double* value;
    const std::int32_t* column;
    const unsigned short* narrow_column;
  };
  const auto& a = *static_cast<Rows*>(arguments[0]);
  const double* const x = *static_cast<const double**>(arguments[1]);
  double* const y = *static_cast<double**>(arguments[2]);
  for (std::int64_t i = 0; !a.narrow_column && i < a.rows; ++i) {
    y[i] = 0;
    for (std::int32_t k = a.pointer[i]; k < a.pointer[i + 1]; ++k)
      y[i] += a.value[k] * x[a.column[k]];
  }
}

/// Nothing for other kernels.
inline void compute(const std::string& kernel, void** arguments) {
  if (kernel == "triad_items" || kernel == "babelstream_triad") run_triad(arguments);
  if (kernel == "spmv_rows") run_spmv(arguments);
}

}  // namespace rooftune::test
