// What a matrix may be at most: indices of 32 bits and the memory of this machine, told before
// anything is allocated. The caller names the place to which a refusal points.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

#include "rooftune/problem_input.h"

namespace spmv_kernel {

constexpr double largest_index = 2147483647.0;

inline std::string number(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.0f", value);
  return text;
}

/// Refuses shapes that 32-bit indices or the memory cannot hold. `staged` is the number of triplets
/// that are kept while the rows are assembled (0: rows are written in place).
inline void check_size(rooftune::Problem& p, double rows, double cols, double entries,
                       double staged, const std::string& where) {
  if (rows > largest_index - 1 || cols > largest_index - 1)
    refuse(p, number(rows) + " x " + number(cols) + ": indices have 32 bits", where,
           "at most 2147483646 rows and columns");
  if (entries > largest_index)
    refuse(p, number(entries) + " entries: positions have 32 bits", where,
           "at most 2147483647 entries, both triangles of a symmetric matrix counted");
  // Staged: triplets (16 B) and assembled rows (12 B); then the kernel's arrays, x, y and its
  // scale.
  const double need =
      staged * 28 + (staged > 0 ? 8 * rows : 0) + entries * 12 + 28 * rows + 8 * cols;
  check_memory(p, need, "the matrix needs", where, "a smaller matrix");
}

}  // namespace spmv_kernel
