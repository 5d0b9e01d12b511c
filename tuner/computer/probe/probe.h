// The measurement of this host's ceilings: the in-core lattice, every memory level found by a
// sweep, anchors. It records other activity of the machine. A figure is the fastest one seen: with
// stable = false where the best windows disagree, with shown_only = true where it is impossible.
#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "os/topology.h"
#include "probe/clock.h"
#include "probe/plan.h"
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
  /// Walked per thread and kind of pages; 0: chosen from caches and memory.
  std::size_t memory_bytes = 0;
};

/// Time and progress of one probe.
struct ProbeClock {
  const ProbeOptions& options;
  double budget;  ///< [s]
  double start = now();

  double left() const { return std::max(0.0, start + budget - now()); }
  void show(const std::string& phase) const {
    if (options.progress) options.progress(phase, std::min(1.0, 1 - left() / budget));
  }
  Extent extent() const { return options.full ? Extent::full : Extent::quick; }
};

/// Takes about the budget, less where figures settle early. Throws Error when this architecture has
/// no micro-kernels, CPUs cannot be pinned to, memory is short, or `interrupted` says so.
/// The caller may mask features.
Machine probed_host(const ProbeOptions& options, const Topology& host = topology(),
                    const CpuFeatures& features = cpu_features());

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
