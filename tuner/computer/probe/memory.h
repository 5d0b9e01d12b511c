// Memory for bandwidth kernels: pages of one kind, which the thread itself fills or links. The
// caller touches it, and asks for it, only from the thread (and the NUMA node) that is to own its
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
  /// Throws Error when address space is short. `bytes` is rounded up to 2 MiB.
  Memory(size_t bytes, bool huge_pages);

  std::byte* begin() const { return reinterpret_cast<std::byte*>(mapping_.start()); }
  size_t size() const { return mapping_.size(); }
  /// Share of the touched part that huge pages now back (AnonHugePages in smaps).
  double huge_share() const;

  /// Makes the first `bytes` exist; their values are finite doubles or links.
  void touch(size_t bytes);
  /// Makes the first `bytes` exist, and turns links back to finite doubles in (0, 1), which ends a
  /// cycle. Kernels with stores or arithmetic need it before each use; it does nothing where there
  /// are no links.
  void fill(size_t bytes);
  /// Makes the first `bytes` one random cycle over their lines: each line starts with the address
  /// of the next. Does nothing if they are one already.
  void link(size_t bytes);
  /// Positions that lie 1/16 of the cycle apart.
  const std::array<void*, most_misses>& heads() const { return heads_; }
  /// Where the last sliced walk stopped [B]: the next goes on there, or it would find the last
  /// walk's data in a cache.
  uint64_t cursor = 0;
  /// How many cycles were made so far: when it grows, positions are void.
  uint64_t cycles() const { return cycles_; }

 private:
  Mapping mapping_;
  size_t touched_ = 0;
  size_t linked_ = 0;  ///< bytes in the present cycle, 0 without one
  uint64_t cycles_ = 0;
  std::array<void*, most_misses> heads_{};
};

/// A team's memory: for each thread a mapping with each kind of pages, first touched in its place.
class Arena {
 public:
  /// base, huge: local pages. remote: huge pages on another NUMA node than the thread's.
  enum class Kind { base, huge, remote };

  /// Mappings of `bytes` each, for threads pinned to `cpus`; each is made when first asked for.
  Arena(const Cpus& cpus, const Topology& topology, size_t bytes);
  /// Throws Error when memory is short, or for remote pages where there is only one node.
  Memory& memory(Kind kind, int thread);
  size_t bytes() const { return bytes_; }
  /// The least share of huge pages among the mappings of this kind; 0 without any.
  double huge_share(Kind kind) const;

 private:
  std::unique_ptr<Memory> remote_memory(int thread) const;

  Cpus remote_cpus_;  ///< per thread: a CPU of the next node; empty with one node
  size_t bytes_;
  std::vector<std::unique_ptr<Memory>> mappings_[3];
};

}  // namespace rooftune::probe
