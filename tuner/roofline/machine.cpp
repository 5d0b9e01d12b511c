#include "roofline/machine.h"

#include <limits>

namespace rooftune::inline roofline {

const char* to_text(Ceiling::Kind kind) {
  switch (kind) {
    case Ceiling::Kind::in_core:
      return "in_core";
    case Ceiling::Kind::bandwidth:
      return "bandwidth";
    case Ceiling::Kind::latency:
      return "latency";
  }
  return "";
}

const char* to_text(MachineKind kind) { return kind == MachineKind::gpu ? "gpu" : "cpu"; }

const MemoryLevel* Machine::level(const std::string& wanted) const {
  for (const auto& candidate : levels)
    if (candidate.name == wanted) return &candidate;
  return nullptr;
}

double Machine::total_capacity(const MemoryLevel& memory_level) const {
  const auto bytes = memory_level.capacity ? memory_level.capacity : memory_level.reported;
  if (!bytes) return std::numeric_limits<double>::infinity();
  return *bytes * memory_level.instances;
}

}  // namespace rooftune::inline roofline
