// Memory for bandwidth kernels: pages of one kind, filled or linked by the thread itself. The
// caller touches it, and asks for it, only from the thread (and the NUMA node) meant to own its
// pages.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "os/mapping.h"
#include "os/topology.h"
#include "probe/memory_kernels.h"

namespace rooftune::probe {

/// An anonymous mapping aligned to 2 MiB, mapped when constructed and touched when filled.
class Memory {
 public:
  /// Throws Error for lack of address space. `bytes` is rounded up to 2 MiB.
  Memory(size_t bytes, bool huge_pages);

  std::byte* begin() const { return reinterpret_cast<std::byte*>(mapping_.start()); }
  size_t size() const { return mapping_.size(); }
  /// Share of the touched part now backed with huge pages (AnonHugePages of smaps).
  double huge_share() const;

  /// Makes the first `bytes` exist; their values are finite doubles or links.
  void touch(size_t bytes);
  /// Makes the first `bytes` exist and all of the memory finite doubles in (0, 1) again; ends a
  /// cycle. Kernels with stores or arithmetic need it before each use; without links it does
  /// nothing.
  void fill(size_t bytes);
  /// Makes the first `bytes` one random cycle over their lines: each line starts with the address
  /// of the next. Nothing is done when they are.
  void link(size_t bytes);
  /// Positions 1/16 of the cycle apart.
  const std::array<void*, most_misses>& heads() const { return heads_; }
  /// Where the last sliced walk stopped [B]: the next goes on there, or it would find the last
  /// one's data in a cache.
  uint64_t cursor = 0;
  /// Cycles made so far: positions are void when it grows.
  uint64_t cycles() const { return cycles_; }

 private:
  Mapping mapping_;
  size_t touched_ = 0;
  size_t linked_ = 0;  ///< bytes of the present cycle, 0 without one
  uint64_t cycles_ = 0;
  std::array<void*, most_misses> heads_{};
};

/// The memory of a team: for each thread one mapping of each kind of pages, first touched in its
/// place.
class Arena {
 public:
  /// base, huge: local pages. remote: huge pages on another NUMA node than the thread's.
  enum class Kind { base, huge, remote };

  /// Mappings of `bytes` for threads pinned to `cpus`; each is made when first asked for.
  Arena(const Cpus& cpus, const Topology& topology, size_t bytes);
  /// Throws Error when memory is short, or when remote pages are asked for on one node.
  Memory& memory(Kind kind, int thread);
  size_t bytes() const { return bytes_; }
  /// Least share of huge pages over the touched mappings of huge pages; 0 without any.
  double huge_share(Kind kind) const;

 private:
  std::unique_ptr<Memory> remote_memory(int thread) const;

  Cpus remote_cpus_;  ///< per thread: a CPU of the next node; empty with one node
  size_t bytes_;
  std::vector<std::unique_ptr<Memory>> mappings_[3];
};

}  // namespace rooftune::probe
