// What generators and readers of problems share: refusals, the memory that there is, and a stream
// of random numbers that is the same everywhere. For problem.cpp; POSIX.
#pragma once
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "rooftune/problem.h"

namespace rooftune {

/// Ends with an error of the user's input: what, where, how to mend it.
[[noreturn]] inline void refuse(Problem& p, const std::string& message, const std::string& where,
                                const std::string& hint) {
  p.fail(message.c_str(), where.c_str(), hint.c_str());
  // Compilers forget that a virtual function does not return.
  __builtin_unreachable();
}

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

inline std::string gibibytes(double bytes) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f GiB", bytes / 1073741824.0);
  return text;
}

/// Refuses what does not fit, before it is allocated. `subject` with its verb: "the grid needs".
inline void check_memory(Problem& p, double bytes, const std::string& subject,
                         const std::string& where, const std::string& smaller) {
  if (bytes <= usable_bytes()) return;
  refuse(p,
         subject + " " + gibibytes(bytes) + " of memory, this process can have " +
             gibibytes(usable_bytes()),
         where, smaller + ", or a machine with more memory");
}

/// splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// Uniform in [0, count).
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(unit() * static_cast<double>(count));
  }

 private:
  std::uint64_t state_;
};

}  // namespace rooftune
