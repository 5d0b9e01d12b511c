// What the accesses of a thread cost: L1 cycles, L2 bytes, and bytes moved by array.
#pragma once
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "run/cuda/ptx_code.h"
#include "run/device_bytes.h"

namespace rooftune::run::ptx {

/// Threads in a warp.
inline constexpr double lanes = 32;

/// What a thread accessed and its share of L1 still holds, the last used first.
class Share {
 public:
  explicit Share(double bytes);
  /// How many sectors a lane did not find, each counted as `weight`: the lane's own part of it.
  double missed(uint64_t address, size_t bytes, double weight);

 private:
  double room_, used_ = 0;  ///< sectors
  std::vector<std::pair<uint64_t, double>> held_;
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

class Traffic {
 public:
  Traffic(double l1_bytes, const DeviceBytes& memory) : share_(l1_bytes), memory_(memory) {}
  /// Returns the cycles until the data are there.
  double add(const Access& one);
  const ThreadWork& sum() const { return sum_; }
  const MovedByArray& moved() const { return moved_; }

 private:
  void move(const Access& one, double bytes);

  Share share_;
  const DeviceBytes& memory_;
  ThreadWork sum_;
  MovedByArray moved_;
};

}  // namespace rooftune::run::ptx
