// The kernels that the stand-in for NVIDIA's driver computes, over host memory: those whose results
// tests compare. Arguments are as a launch passes them.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
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

/// Errors of an array over its scale, as Rooftune's kernel of that name finds them.
template <class T, class Bits>
void check_array(void** arguments) {
  const T *const got = *static_cast<const T**>(arguments[0]), *const expected =
                                                                  *static_cast<const T**>(
                                                                      arguments[1]);
  const double* const scales = *static_cast<const double**>(arguments[2]);
  const auto count = *static_cast<std::uint64_t*>(arguments[3]);
  const double unit = *static_cast<double*>(arguments[4]),
               absolute = *static_cast<double*>(arguments[5]),
               relative = *static_cast<double*>(arguments[6]);
  const auto poison = static_cast<Bits>(*static_cast<std::uint64_t*>(arguments[7]));
  const bool nan_is_right = *static_cast<unsigned*>(arguments[9]) != 0;
  struct Found {
    double largest;
    std::uint64_t wrong;
  };
  auto& found = **static_cast<Found**>(arguments[10]);
  const auto is_poison = [&](const T& value) {
    return std::memcmp(&value, &poison, sizeof value) == 0;
  };
  for (std::uint64_t i = 0; i < count; ++i) {
    const double g = got[i], e = expected[i], error = std::fabs(g - e);
    if (g == e) continue;
    if (std::isnan(g) && std::isnan(e) &&
        (nan_is_right || (is_poison(got[i]) && is_poison(expected[i]))))
      continue;
    const double own = scales ? std::fabs(scales[i]) : unit < 0 ? std::fabs(e) : unit;
    if (own > 0 && error / own > found.largest) found.largest = error / own;
    if (!std::isfinite(error) || !(error <= absolute + relative * own)) ++found.wrong;
  }
}

/// Guards of an array that are not whole.
inline void check_guards(void** arguments, unsigned bytes) {
  const auto pattern = static_cast<unsigned char>(*static_cast<unsigned*>(arguments[2]));
  auto* const found = *static_cast<std::uint64_t**>(arguments[3]);
  for (const int zone : {0, 1})
    for (unsigned i = 0; i < bytes; ++i)
      found[1] += (*static_cast<unsigned char**>(arguments[zone]))[i] != pattern;
}

/// Nothing for other kernels.
inline void compute(const std::string& kernel, void** arguments, unsigned threads) {
  if (kernel == "rooftune_check_array")
    *static_cast<unsigned*>(arguments[8]) == 8 ? check_array<double, std::uint64_t>(arguments)
                                               : check_array<float, std::uint32_t>(arguments);
  if (kernel == "rooftune_check_guards") check_guards(arguments, threads);
  if (kernel == "triad_items" || kernel == "babelstream_triad") run_triad(arguments);
  if (kernel == "spmv_rows") run_spmv(arguments);
}

}  // namespace rooftune::test
