// From an event's name to the kernel's encoding: libpfm's knowledge, and codes of events unknown to
// it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "counters/event_set.h"

namespace rooftune::counters {

/// libpfm's knowledge of a PMU, and its encoding of one of the PMU's events.
struct LibraryEncoding {
  bool pmu_known = false;
  std::optional<std::uint64_t> code;  ///< perf's config; absent: see `problem`
  std::string problem;                ///< libpfm's words
};
/// Encodes "FP_ARITH_INST_RETIRED:SCALAR_DOUBLE" for "spr"; also for a processor not present. An
/// uncore PMU ("skx_unc_imc0") gives the code without perf's device.
LibraryEncoding library_encoding(const std::string& pmu, const std::string& event);
/// Names of the PMUs in the installed libpfm.
std::vector<std::string> library_pmus();

/// An event ready for perf: `type` is perf's (4: raw event of the core).
struct EncodedEvent {
  std::string id;
  std::string description;  ///< for people: "spr::L1D:REPLACEMENT" or "raw 0x1023"
  std::uint32_t type = 4;
  std::uint64_t config = 0;
  int slots = 1;
  bool user_only = true;  ///< uncore devices cannot separate user from kernel
};
/// The encoding of a core event: libpfm's for a name it has, else the file's code. Throws Error
/// when both exist and differ: one of them would count something else.
EncodedEvent encoded(const EventSet& set, const CounterEvent& event);

}  // namespace rooftune::counters
