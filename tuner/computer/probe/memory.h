// Memory of one thread for bandwidth kernels: pages of one kind, filled or linked by the thread
// itself. The caller touches it only from the thread (and the NUMA node) meant to own its pages.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "probe/scattered_kernels.h"

namespace rooftune::probe {

/// An anonymous mapping aligned to 2 MiB, mapped when constructed and touched when filled.
class Memory {
 public:
  enum class Pages { base, huge };

  /// Throws Error for lack of address space. `bytes` is rounded up to 2 MiB.
  Memory(std::size_t bytes, Pages pages);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::byte* begin() const { return begin_; }
  std::size_t size() const { return size_; }
  /// Share of the touched part now backed with huge pages (AnonHugePages of smaps).
  double huge_share() const;

  /// Makes the first `bytes` exist; their values are finite doubles or links.
  void touch(std::size_t bytes);
  /// Makes the first `bytes` exist and all of the memory finite doubles in (0, 1) again; ends a
  /// cycle. Kernels with stores or arithmetic need it before each use; without links it does
  /// nothing.
  void fill(std::size_t bytes);
  /// Makes the first `bytes` one random cycle over their lines: each line starts with the address
  /// of the next. Nothing is done when they are.
  void link(std::size_t bytes);
  /// Positions 1/16 of the cycle apart.
  const std::array<void*, most_misses>& heads() const { return heads_; }
  /// Where the last sliced walk stopped [B]: the next goes on there, or it would find the last
  /// one's data in a cache.
  std::uint64_t cursor = 0;
  /// Cycles made so far: positions are void when it grows.
  std::uint64_t cycles() const { return cycles_; }

 private:
  std::byte* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* begin_ = nullptr;
  std::size_t size_ = 0;
  std::size_t touched_ = 0;
  std::size_t linked_ = 0;  ///< bytes of the present cycle, 0 without one
  std::uint64_t cycles_ = 0;
  std::array<void*, most_misses> heads_{};
};

}  // namespace rooftune::probe
