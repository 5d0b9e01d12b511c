// The ceilings of a probe: the lattice of paradigms as a list of ceilings without rates. Names are
// unique over all lists of one machine.
#pragma once
#include <vector>

#include "core/list.h"
#include "os/topology.h"
#include "roofline/machine.h"

namespace rooftune::probe {

/// How much of the lattice: all of it, or the first needs of bounds and answers: no single
/// precision (a kernel may ask for it later), no vectors narrower than the widest, one chain or as
/// many as fit, the best pages, few strides and random walks.
enum class Extent { quick, full };

/// Every precision x mix x width x chains of the features, for each number of threads; or those of
/// one precision.
CeilingList in_core_plan(const CpuFeatures& features, const std::vector<int>& threads,
                         Extent extent, const std::string& precision = {});

/// Where the data of one level is put.
struct LevelPlace {
  std::string level;
  bool memory = false;  ///< the outermost level
  bool innermost = false;
  std::vector<bool> huge_pages;  ///< kinds of pages to walk: {false}, {true} or both
  bool remote = false;           ///< also the memory of another NUMA node
  /// Sizes walked by `threads` together [B per thread]: `bytes` by strides and at random, each of
  /// `streams` by streams; the best of these is the ceiling.
  struct Walked {
    int threads;
    double bytes;
    Numbers streams;
  };
  std::vector<Walked> walked;
};

/// Streams, strides and random walks of one level; non-temporal stores for memory only, because
/// they bypass the caches. Streams of several sizes have one name.
CeilingList memory_plan(const LevelPlace& place, const CpuFeatures& features, int numa_nodes,
                        Extent extent);

/// The latency ceiling of a random walk with one miss in flight ("L2 random mlp1 2t").
Ceiling as_latency(Ceiling walk);

/// Bytes per thread within level `index` of `levels` and not further in: two thirds of the
/// innermost; further out at least four times the level before, at most 0.4 of its own capacity
/// (shared caches divided by the threads). Streams, ascending: from a quarter to three quarters of
/// the effective capacity, and of the largest; at least three times the levels further in. Without
/// any such size: `bytes`. `limit` alone for memory.
LevelPlace::Walked walked_sizes(const std::vector<MemoryLevel>& levels, size_t index, int threads,
                                int cores, double limit);

/// Memory per thread and kind of pages: enough to leave the caches, at most a quarter of the memory
/// in all. A reported cache size counts on bare metal only; a virtual machine sees its host's.
size_t memory_per_thread(const Topology& topology, Extent extent);

/// One thread, one per core, and one per CPU where cores have several.
std::vector<int> thread_counts(const Topology& topology);

}  // namespace rooftune::probe
