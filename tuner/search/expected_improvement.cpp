#include "search/expected_improvement.h"

#include <cmath>
#include <cstddef>
#include <vector>

namespace rooftune::inline search {

double normal_pdf(double z) { return std::exp(-z * z / 2) * 0.3989422804014327; }
double normal_cdf(double z) { return 0.5 * std::erfc(-z * M_SQRT1_2); }

double student_t_cdf(double t, double freedom) {
  return normal_cdf(t * (1 - 1 / (4 * freedom)) / std::sqrt(1 + t * t / (2 * freedom)));
}

double expected_improvement(double gain, double deviation) {
  const double z = gain / deviation;
  return gain * normal_cdf(z) + deviation * normal_pdf(z);
}

double expected_improvement_bound(double z) {
  constexpr double finest = 16, least = -8, most = 8;
  static const std::vector<double> table = [] {
    std::vector<double> values;
    for (double at = least; at <= most; at += 1 / finest)
      values.push_back(1.0001 * expected_improvement(at, 1));
    return values;
  }();
  if (!(z < most - 1 / finest)) return HUGE_VAL;
  return z < least ? table.front() : table[static_cast<std::size_t>((z - least) * finest) + 1];
}

}  // namespace rooftune::inline search
