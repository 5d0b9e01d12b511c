// The memory of a team: for each thread one mapping of each kind of pages, first touched in its
// place. The caller asks for a thread's mapping from the same thread.
#pragma once
#include <memory>
#include <vector>

#include "os/topology.h"
#include "probe/memory.h"

namespace rooftune::probe {

class Arena {
 public:
  /// base, huge: local pages. remote: huge pages on another NUMA node than the thread's.
  enum class Kind { base, huge, remote };

  /// Mappings of `bytes` for threads pinned to `cpus`; each is made when first asked for.
  Arena(const std::vector<int>& cpus, const Topology& topology, std::size_t bytes);
  /// Throws Error when memory is short, or when remote pages are asked for on one node.
  Memory& memory(Kind kind, int thread);
  std::size_t bytes() const { return bytes_; }
  bool has_remote() const { return !remote_cpus_.empty(); }
  /// Least share of huge pages over the touched mappings of huge pages; 0 without any.
  double huge_share(Kind kind) const;

 private:
  std::unique_ptr<Memory> remote_memory(int thread) const;

  std::vector<int> remote_cpus_;  ///< per thread: a CPU of the next node; empty with one node
  std::size_t bytes_;
  std::vector<std::unique_ptr<Memory>> mappings_[3];
};

}  // namespace rooftune::probe
