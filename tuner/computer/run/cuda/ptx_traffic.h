// What the accesses of a thread cost: L1 cycles, L2 bytes, and bytes moved by array.
#pragma once
#include <cmath>
#include <cstdint>
#include <list>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "run/cuda/ptx_code.h"
#include "run/device_bytes.h"

namespace rooftune::run::ptx {

/// Threads in a warp.
inline constexpr double lanes = 32;

/// What a thread accessed and its share of a cache still holds, the last used first. A line takes
/// its whole room, though only parts of it were fetched.
class Share {
 public:
  /// `part`: bytes that the cache fetches at a time.
  Share(double bytes, uint64_t part) : room_(bytes), part_(part) {}
  /// Whether that part of its line has to be fetched. `stride`: bytes from lane to lane.
  bool misses(uint64_t address, double stride);

 private:
  struct Line {
    uint64_t number;
    unsigned parts;  ///< a bit for each that was fetched
    double bytes;    ///< the lane's own part of the line
  };
  double room_, used_ = 0;  ///< [B]
  uint64_t part_;
  std::list<Line> held_;
  std::unordered_map<uint64_t, std::list<Line>::iterator> place_;
};

struct Access {
  enum Kind { load, store, atomic };
  Kind kind = load;
  Space space = Space::global;
  Type type;
  uint64_t address = 0;
  size_t bytes = 0;
  double stride = 0;  ///< bytes from lane to lane
  bool waits = true;  ///< for what comes back
};

/// Bytes that one thread moves from and to an array, beyond its share of L1.
struct Moved {
  double array_bytes = HUGE_VAL, read = 0, written = 0;
};
using MovedByArray = std::map<uint64_t, Moved>;

/// Bytes for one thread among `threads`: an array comes from memory once and goes back once.
double from_memory(const MovedByArray& moved, double threads);

/// A thread's share of each cache [B].
struct CacheShares {
  double l1 = HUGE_VAL, l2 = HUGE_VAL;
};

class Traffic {
 public:
  Traffic(const CacheShares& shares, const DeviceBytes& memory);
  /// Returns the cycles until the data are there.
  double add(const Access& one);
  /// Among `dram_bytes` is only what L2 lost and fetches again.
  const ThreadWork& sum() const { return sum_; }
  const MovedByArray& moved() const { return moved_; }

 private:
  void move(const Access& one, double bytes);

  Share l1_, l2_;
  /// Blocks that only this lane reads, by number: fetched from memory at least once.
  std::unordered_set<uint64_t> fetched_;
  const DeviceBytes& memory_;
  ThreadWork sum_;
  MovedByArray moved_;
};

}  // namespace rooftune::run::ptx
