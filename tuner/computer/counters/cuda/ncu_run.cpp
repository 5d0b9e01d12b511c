// Counting of all kernels of one call with Nsight Compute around a worker of its own. Clocks and
// caches are left alone; ncu replays each kernel and restores the memory in between.
#include <fmt/format.h>

#include <map>

#include "core/error.h"
#include "counters/counted_quantities.h"
#include "counters/cuda/cupti_range.h"
#include "counters/cuda/ncu.h"
#include "counters/cuda/nvidia.h"
#include "counters/event_set.h"
#include "counters/provider.h"
#include "counters/unfinished_run.h"

namespace rooftune::counters {
namespace {

/// A chip of each generation, as the event sets name it.
const EventSet& event_set_of(int compute_capability) {
  static const std::map<int, const char*> chips{{70, "GV100"},  {80, "GA100"}, {86, "GA102"},
                                                {89, "AD102"},  {90, "GH100"}, {100, "GB100"},
                                                {103, "GB100"}, {120, "GB202"}};
  const auto chip = chips.find(compute_capability);
  const EventSet* set =
      chip == chips.end() ? nullptr : event_set_of_chip(event_sets(), chip->second);
  if (!set)
    throw Error(fmt::format("no event set knows cards of compute capability {}.{}",
                            compute_capability / 10, compute_capability % 10),
                "--counters ncu", "add its metrics as a file in machines/events");
  return *set;
}

}  // namespace

Counts count_with_ncu(const CountingPlan& plan, const ProcessLauncher& launch) {
  const EventSet& set = event_set_of(plan.compute_capability);
  const auto program = ncu_program();
  if (!program)
    throw Error("ncu is not installed", "--counters ncu", "install Nsight Compute",
                ExitCode::unavailable);
  std::size_t kernels = 0;
  const MetricSource source = [&](const std::vector<std::string>& metrics) {
    try {
      const ProcessRun run = launch(ncu_around(program->string(), metrics), 1);
      const NcuSums sums = ncu_sums(run.output, metrics);
      kernels = sums.kernels;
      return sums.values;
    } catch (const UnfinishedRun& run) {
      // ncu's own message is better than the worker's end.
      if (run.output().find("==ERROR==") != std::string::npos) read_ncu_csv(run.output());
      throw;
    }
  };
  Counts counts = counts_of(count_metrics(set, source), "ncu", "Nsight Compute, " + set.title);
  counts.notes.push_back(
      fmt::format("the sum of {} kernels of one call, each replayed with its memory restored, so "
                  "that it finds the caches as the restoring left them",
                  kernels));
  counts.notes.insert(counts.notes.end(), set.traps.begin(), set.traps.end());
  return counts;
}

}  // namespace rooftune::counters
