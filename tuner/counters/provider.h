// Where counted work and traffic can come from: one file and one row of the table per provider.
#pragma once
#include <string>
#include <vector>

namespace rooftune {

/// Whether a provider can count here; when not, why and what would help.
struct Availability {
  bool available = false;
  std::string reason;  ///< what was found, said in either case
  std::string cure;    ///< empty when nothing can be done
};

/// The visible table is in provider_table.cpp.
struct CounterProviderRow {
  const char* name;
  const char* summary;
  Availability (*availability)();
};
const std::vector<CounterProviderRow>& counter_providers();

/// Linux perf events: core hardware counters of this process.
Availability perf_availability();
/// LIKWID's likwid-perfctr: asked by counting an empty program.
Availability likwid_availability();
/// CUPTI's range profiler, loaded at run time.
Availability cupti_availability();
/// Nsight Compute as a program.
Availability ncu_availability();
/// The kernel's own work model: always there, never counted.
Availability declared_availability();

/// Why work and traffic of a variant are not counted here, in one sentence.
std::string no_counters_reason();

}  // namespace rooftune
