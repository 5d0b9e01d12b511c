// One probe of a GPU from empty to finished: phases in order, each with its share of the budget.
// The caller runs the phases once, in the order of their declaration.
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "probe/gpu_bench.h"
#include "probe/gpu_probe.h"
#include "probe/plateau.h"

namespace rooftune::probe {

class GpuCampaign {
 public:
  GpuCampaign(GpuMachine& card, const GpuCard& description, const GpuProbeOptions& options);

  /// Sweeps sizes and finds the capacities of L1 and L2.
  void find_levels();
  void measure_in_core();
  void measure_memory();
  void measure_launches();
  /// Marks figures in contradiction to each other or to the published ones, and measures them
  /// again.
  void remeasure_inconsistent();
  /// Everything as a machine.
  Machine finish();

 private:
  void add(const std::vector<GpuTask>& plan, std::vector<GpuSubject*>& subjects);
  void measure(const std::string& phase, const std::vector<GpuSubject*>& subjects, double share);
  void sweep(bool through_l1, double largest, const ReportedCache& reported, MemoryLevel& level);
  void close_ceilings();
  void note_state(const char* when);
  void note_clocks();
  void show(const std::string& phase) const;
  double left() const;
  Extent extent() const { return options_.full ? Extent::full : Extent::quick; }

  GpuMachine& card_;
  const GpuCard& description_;
  const GpuProbeOptions& options_;
  double start_, budget_;
  GpuMemory memory_;
  GpuBench bench_;
  std::deque<GpuSubject> subjects_;  // references stay valid while it grows
  Machine machine_;
};

/// Bytes of each array: 1 GiB and 24 times L2 at least, to keep hits there out of the rate; at most
/// an eighth of the card's memory.
std::int64_t gpu_array_bytes(const GpuFacts& facts);

}  // namespace rooftune::probe
