// Which ceilings a probe measures: the lattice of paradigms as a list of ceilings without rates.
// Names are unique over all lists of one machine.
#pragma once
#include <vector>

#include "os/topology.h"
#include "roofline/machine.h"

namespace rooftune::probe {

/// How much of the lattice: all of it, or for several threads only the ends of the ladder of
/// chains, and fewer strides, random walks and kinds of pages.
enum class Extent { quick, full };

/// Every precision x mix x width x chains that the features allow, for each number of threads.
std::vector<Ceiling> in_core_plan(const CpuFeatures& features, const std::vector<int>& threads,
                                  Extent extent);

/// Where the data of one level is put.
struct LevelPlace {
  std::string level;
  bool memory = false;  ///< the outermost level
  bool innermost = false;
  std::vector<bool> huge_pages;  ///< kinds of pages to walk: {false}, {true} or both
  bool remote = false;           ///< also the memory of another NUMA node
  /// What is walked when `threads` walk together [B per thread]: by strides and at random `bytes`,
  /// by streams each of `streams`, of which the best is the ceiling.
  struct Walked {
    int threads;
    double bytes;
    std::vector<double> streams;
  };
  std::vector<Walked> walked;
};

/// Streams, strides and random walks of one level; non-temporal stores for memory only, because
/// they bypass the caches. Streams of several sizes have one name.
std::vector<Ceiling> memory_plan(const LevelPlace& place, const CpuFeatures& features,
                                 int numa_nodes, Extent extent);

/// The latency ceiling that a random walk with one miss in flight ("L2 random mlp1 2t") amounts to.
Ceiling as_latency(Ceiling walk);

/// Bytes per thread that live in level `index` of `levels` and not further in: two thirds of the
/// innermost; further out at least four times the level before, at most 0.4 of its own capacity
/// (shared caches divided by the threads). `limit` for memory.
double working_set(const std::vector<MemoryLevel>& levels, std::size_t index, int threads,
                   int cores, double limit);

/// Bytes per thread of streams within level `index`, ascending: from a quarter to three quarters of
/// what is effective, and of what it holds at most; at least three times what is further in. Where
/// that leaves nothing: working_set(). `limit` alone for memory.
std::vector<double> stream_sets(const std::vector<MemoryLevel>& levels, std::size_t index,
                                int threads, int cores, double limit);

/// One thread, one per core, and one per CPU where cores have several.
std::vector<int> thread_counts(const Topology& topology);

}  // namespace rooftune::probe
