// The measurement of this host's ceilings: the in-core lattice, every memory level found by a
// sweep, anchors. It records other activity of the machine. A figure is the fastest one seen: with
// stable = false where the best windows disagree, with shown_only = true where it is impossible.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "os/topology.h"
#include "roofline/machine.h"

namespace rooftune::probe {

struct ProbeOptions {
  bool full = false;          ///< under six minutes instead of under one
  std::string name = "host";  ///< of the machine
  /// Called often, by the calling thread, with the phase and the share of the whole probe done,
  /// 0..1.
  std::function<void(const std::string& phase, double done)> progress;
  /// Asked often; true ends the probe with Error (code interrupted).
  std::function<bool()> interrupted;
  double seconds = 0;  ///< budget; 0: 50, or 330 when full
  std::size_t memory_bytes =
      0;  ///< walked per thread and kind of pages; 0: chosen from caches and memory
};

/// Takes about the budget, less where figures settle early. Throws Error when this architecture has
/// no micro-kernels, CPUs cannot be pinned to, memory is short, or `interrupted` says so.
Machine probed_host(const ProbeOptions& options);
/// The same with features masked by the caller (a subset of this CPU's).
Machine probed_host(const ProbeOptions& options, const Topology& topology,
                    const CpuFeatures& features);

/// Measures the named ceilings again, about a fifth of a second each: an anchor before and after
/// other work. Leaves out ceilings this host cannot run, and those without one window undisturbed
/// by other work. Throws Error for a name unknown to the machine. `interrupted` is asked before
/// each and leaves out the rest.
std::vector<Ceiling> remeasure(const Machine& machine, const std::vector<std::string>& names,
                               const std::function<bool()>& interrupted = {});

/// Good anchors of a machine: its in-core roof, and the load ceilings of all threads of its second
/// and its outermost level: the fastest of each.
std::vector<std::string> anchors(const Machine& machine);

}  // namespace rooftune::probe
