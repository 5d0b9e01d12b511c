// A model of a machine's caches: set-associative, write-back, write-allocate, least recently used
// goes first. Cores have private caches and shared ones; a core fetches a line again after another
// core wrote it. The caller decides which core makes an access and when counting begins.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/list.h"
#include "core/modules.h"
#include "roofline/machine.h"

namespace rooftune::instrumentation {

/// One level; innermost first.
struct CacheShape {
  std::string name;
  size_t bytes = 0;  ///< in one instance
  int ways = 8;
  int instances = 1;  ///< cores are shared out evenly
};
using CacheShapes = std::vector<CacheShape>;

/// A machine's caches, without its memory.
CacheShapes cache_shapes(const MemoryLevels& levels);

/// Bytes that cross the outer boundary of one cache level.
struct CacheTraffic {
  uint64_t read = 0, written = 0;
  uint64_t allocated = 0;  ///< among the bytes read: for missed stores
};

class CacheModel {
 public:
  /// A line's class is its number modulo `classes`; every class has sets of its own.
  static constexpr int classes = 64;
  static constexpr int line_bytes = 64;

  /// `scattered`: lines lie in random sets, not by address, so no stride crowds them into one set;
  /// the difference from an ordinary model is what conflicts cost.
  CacheModel(const CacheShapes& shapes, int cores, bool scattered = false);
  /// Simulates only lines in these classes; all at first.
  void sample(const Integers& chosen);
  void load(int core, uint64_t address, uint64_t bytes) {
    for_lines(address, bytes, [&](uint64_t line, uint64_t) { access(core, line, false); });
  }
  void store(int core, uint64_t address, uint64_t bytes) {
    for_lines(address, bytes, [&](uint64_t line, uint64_t) { access(core, line, true); });
  }
  /// A streamed store goes past all caches; they lose the line.
  void stream(int core, uint64_t address, uint64_t bytes);
  /// Empties all caches; dirty lines are written back and count as traffic.
  void flush();
  /// Forgets the traffic so far; the caches keep their lines. From now on the call has `windows`
  /// windows, and the first is open. Several windows see too little of a call for the outer caches
  /// to fill and write back, so a line then counts as written when it becomes dirty: that happens
  /// once for each time it is written back.
  void reset_traffic(size_t windows = 1);
  /// Traffic from now on belongs to this window; to none if there is no such window.
  void open_window(size_t window);
  /// Traffic across the outer boundary of `level`, for one class of lines, in one window.
  const CacheTraffic& traffic(size_t level, int line_class, size_t window = 0) const {
    return traffic_[(window * levels() + level) * classes + size_t(line_class)];
  }
  size_t levels() const { return levels_.size(); }
  /// The shapes as modelled: sets are whole multiples of `classes`.
  std::string description() const;

 private:
  struct Level {
    CacheShape shape;
    uint64_t sets = 0, mask = 0;  ///< mask: sets - 1 if sets is a power of two, else 0
    Indices first_set;            ///< for each core's instance
    /// [instance][set][way], the most recently used first; 0: empty, else (line + 1) << 2 | state.
    std::vector<uint64_t> entries;
  };
  static constexpr uint64_t dirty = 1, shared = 2;

  uint64_t* set_of(size_t level, int core, uint64_t line);
  size_t core_of(int core) const { return size_t(core < cores_ ? core : core % cores_); }
  CacheTraffic& crossed(size_t level, uint64_t line) {
    return traffic_[first_ + level * classes + line % classes];
  }
  static uint64_t scatter(uint64_t line);
  void access(int core, uint64_t line, bool write);
  bool fetch(size_t level, int core, uint64_t line, bool write);
  void write_back(size_t level, int core, uint64_t line);
  void insert(size_t level, int core, uint64_t* set, uint64_t entry);
  /// Marks a line dirty.
  void soil(size_t level, uint64_t& entry);
  /// Looks into the other cores' private caches; true when any had the line. `taken`: they lose the
  /// line, else they keep it shared; dirty copies go to where the caches meet.
  bool snoop(int core, uint64_t line, bool taken);
  void remove(size_t level, int core, uint64_t line);

  std::vector<Level> levels_;
  /// Calls `body` with each simulated line that the bytes touch, and how many bytes lie in it.
  /// Inline, so a line outside the simulation costs a test and no call.
  template <class Body>
  void for_lines(uint64_t address, uint64_t bytes, const Body& body) const;

  int cores_;
  bool scattered_;
  size_t private_levels_ = 0;          ///< innermost levels with more than one instance
  std::vector<CacheTraffic> traffic_;  ///< [window][level][class], and one window without a reader
  size_t first_ = 0;                   ///< where the open window begins
  bool in_parts_ = false;
  uint64_t sample_ = ~uint64_t{0};  ///< a bit for each class
};

/// One to one on 58 bits (MurmurHash3's finaliser mixes well enough).
inline uint64_t CacheModel::scatter(uint64_t line) {
  constexpr uint64_t mask = (uint64_t{1} << 58) - 1;
  line ^= line >> 29;
  line = line * 0xff51afd7ed558ccdULL & mask;
  line ^= line >> 29;
  line = line * 0xc4ceb9fe1a85ec53ULL & mask;
  return line ^ line >> 29;
}

template <class Body>
void CacheModel::for_lines(uint64_t address, uint64_t bytes, const Body& body) const {
  const uint64_t end = address + bytes;
  for (uint64_t at = address; at < end;) {
    const uint64_t next = std::min(end, (at / line_bytes + 1) * line_bytes);
    const uint64_t line = scattered_ ? scatter(at / line_bytes) : at / line_bytes;
    if ((sample_ >> line % classes & 1) != 0) body(line, next - at);
    at = next;
  }
}

}  // namespace rooftune::instrumentation
