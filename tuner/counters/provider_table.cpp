// The visible table of counter providers: a new one is its own file and one row here.
#include "counters/provider.h"

namespace rooftune {

const std::vector<CounterProviderRow>& counter_providers() {
  static const std::vector<CounterProviderRow> rows{
      {"declared", "least work and least traffic as the kernel's manifest states them",
       declared_availability},
      {"perf", "hardware events of the processor through Linux perf", perf_availability},
      {"likwid", "LIKWID's performance groups through likwid-perfctr", likwid_availability},
      {"cupti", "NVIDIA GPU metrics through CUPTI's range profiler", cupti_availability},
      {"ncu", "NVIDIA GPU metrics through Nsight Compute", ncu_availability},
  };
  return rows;
}

Availability declared_availability() {
  return {true,
          "every kernel declares its least work and traffic; they make the bound, not the gap's "
          "factors",
          {}};
}

std::string no_counters_reason() {
  const Availability perf = perf_availability();
  if (perf.available)
    return "this version has no event sets to count executed work and traffic with";
  return "nothing counts executed work and traffic here: " + perf.reason;
}

}  // namespace rooftune
