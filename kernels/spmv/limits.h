// What a matrix may be at most: indices of 32 bits and the memory of this machine, told before
// anything is allocated. The caller names the place to which a refusal points.
#pragma once
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "rooftune/problem.h"

namespace spmv {

constexpr double largest_index = 2147483647.0;

/// Bytes that this process may use: memory of the machine, or less where a limit is set.
inline double usable_bytes() {
  double bytes =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      static_cast<double>(limit.rlim_cur) < bytes)
    bytes = static_cast<double>(limit.rlim_cur);
  return bytes;
}

/// Ends with an error of the user's input.
[[noreturn]] inline void refuse(rooftune::Problem& p, const std::string& message,
                                const std::string& where, const std::string& hint) {
  p.fail(message.c_str(), where.c_str(), hint.c_str());
  // Compilers forget that a virtual function does not return.
  __builtin_unreachable();
}

inline std::string number(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.0f", value);
  return text;
}

inline std::string gibibytes(double bytes) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f GiB", bytes / 1073741824.0);
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
  if (need > usable_bytes())
    refuse(p,
           "the matrix needs " + gibibytes(need) + " of memory, this process can have " +
               gibibytes(usable_bytes()),
           where, "a smaller matrix, or a machine with more memory");
}

}  // namespace spmv
