// How much faster one of two is, of times that were taken in turns: the median of their ratios and
// the interval that holds it in 95 of 100 cases, whatever disturbed the machine.
#pragma once
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// "1.52x [1.43, 1.60]". Of fewer than six there is no such interval: the least and the largest.
inline std::string ratio_text(std::vector<double> ratios) {
  std::sort(ratios.begin(), ratios.end());
  const auto n = static_cast<double>(ratios.size());
  const auto out =
      static_cast<std::size_t>(std::max(0.0, std::floor((n - 1.96 * std::sqrt(n)) / 2)));
  char text[64];
  std::snprintf(text, sizeof text, "%.2fx [%.2f, %.2f]", ratios[ratios.size() / 2], ratios[out],
                ratios[ratios.size() - 1 - out]);
  return text;
}
