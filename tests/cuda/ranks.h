// Spearman's rank correlation.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

namespace rooftune::test {

/// Ranks from 0 on; equal values share the mean of theirs.
inline std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<double> result;
  for (const double one : values) {
    const auto below = std::ranges::count_if(values, [&](double other) { return other < one; });
    const auto equal = std::ranges::count(values, one);
    result.push_back(static_cast<double>(below) + static_cast<double>(equal - 1) / 2);
  }
  return result;
}

/// Pearson's of the ranks; 0 where all are equal.
inline double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto x = ranks(a), y = ranks(b);
  const double mean = (static_cast<double>(x.size()) - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    xy += (x[k] - mean) * (y[k] - mean);
    xx += (x[k] - mean) * (x[k] - mean);
    yy += (y[k] - mean) * (y[k] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

}  // namespace rooftune::test
