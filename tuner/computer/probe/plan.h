// A probe's ceilings: the lattice of paradigms as a list of ceilings without rates. Names are
// unique over all a machine's lists.
#pragma once
#include <vector>

#include "core/list.h"
#include "os/topology.h"
#include "roofline/machine.h"

namespace rooftune::probe {

/// How much of the lattice is measured. `full`: all. `quick`: what bounds and answers need first:
/// no single precision (a kernel may ask for it later), no vectors narrower than the widest, one
/// chain or as many as fit, the best pages, few strides and random walks.
enum class Extent { quick, full };

/// Every precision x mix x width x chains that the features allow, for each thread count; or only
/// those in one precision.
CeilingList in_core_plan(const CpuFeatures& features, const Integers& threads, Extent extent,
                         const std::string& precision = {});

/// Where a level's data is put.
struct LevelPlace {
  std::string level;
  bool memory = false;  ///< the outermost level
  bool innermost = false;
  std::vector<bool> huge_pages;  ///< which pages to walk: {false}, {true} or both
  bool remote = false;           ///< also another NUMA node's memory
  /// Sizes that `threads` walk together [B per thread]: `bytes` with strides and at random, each of
  /// `streams` with streams; the best stream is the ceiling.
  struct Walked {
    int threads;
    double bytes;
    Numbers streams;
  };
  std::vector<Walked> walked;
};

/// A level's streams, strides and random walks; non-temporal stores only for memory, because they
/// bypass the caches. Streams over several sizes share a name.
CeilingList memory_plan(const LevelPlace& place, const CpuFeatures& features, int numa_nodes,
                        Extent extent);

/// A random walk with one miss in flight ("L2 random mlp1 2t") as the latency ceiling.
Ceiling as_latency(Ceiling walk);

/// Sizes [B per thread] that lie within level `index` of `levels`, and not further in; threads
/// divide a shared cache. `bytes`: 0.7 times the innermost capacity; further out four times the
/// level before, but at most 0.4 times the own capacity, or, if that is not twice the level before,
/// the geometric mean between the two. `streams`, ascending: `bytes`, and 1/4, 1/2 and 3/4 of the
/// effective and of the largest capacity, if at least three times what the level before may hold;
/// `bytes` if none is. For memory `limit` alone.
LevelPlace::Walked walked_sizes(const MemoryLevels& levels, size_t index, int threads, int cores,
                                double limit);

/// Memory per thread and kind of pages: enough to leave the caches, in all at most a quarter of the
/// memory. A reported cache size counts only on bare metal; a virtual machine sees its host's.
size_t memory_per_thread(const Topology& topology, Extent extent);

/// One thread, one per core, and one per CPU where cores have several.
Integers thread_counts(const Topology& topology);

}  // namespace rooftune::probe
