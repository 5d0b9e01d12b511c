// Translation of names of quantities; see CounterQuantity for their meaning.
#include "counters/counted_quantities.h"

#include <set>

namespace rooftune::counters {

namespace {

std::string after(const std::string& name, const std::string& prefix) {
  return name.substr(prefix.size());
}

Estimate halved(const Estimate& amount) {
  return {amount.value / 2, amount.low / 2, amount.high / 2};
}

/// "flops.fp64.fma" into operations: FLOPs of multiply-adds are two each.
void take_flops(const std::string& rest, const Estimate& amount, Counts& counts) {
  const auto point = rest.find('.');
  const std::string named = rest.substr(0, point);
  const std::string precision = named == "any" ? "fp" : named;
  if (point == std::string::npos) {
    counts.operations[precision]["flop"] = amount;
    return;
  }
  const std::string kind = rest.substr(point + 1);
  if (kind == "fma")
    counts.operations[precision]["fma"] = halved(amount);
  else
    counts.operations[precision][kind == "tensor" ? "other" : kind] = amount;
}

/// The sum adds nothing to its kinds.
void drop_sums(Counts& counts) {
  for (auto& [precision, operations] : counts.operations)
    if (operations.size() > 1) operations.erase("flop");
}

void take_level(const std::string& level, const HardwareCounts& hardware, const Source& source,
                Counts& counts) {
  const auto find = [&](const char* direction) {
    return hardware.quantities.find(level + "." + direction);
  };
  const auto end = hardware.quantities.end();
  const auto read = find("read"), write = find("write"), total = find("total");
  if (read != end && write != end) {
    counts.traffic[level] = {read->second, write->second, source};
  } else if (total != end) {
    counts.traffic[level] = {total->second, Estimate::exact(0), source};
    counts.notes.push_back(level + ": reads and writes were counted together, all stand as reads");
  } else {
    for (const auto& [direction, at] : {std::pair{"read", read}, std::pair{"written", write}})
      if (at != end) {
        counts.details["bytes " + std::string(direction) + " at " + level] = at->second;
        counts.notes.push_back(level + ": only bytes " + direction +
                               " were counted, so that its traffic is not known");
      }
  }
}

}  // namespace

Counts counts_of(const HardwareCounts& hardware, const std::string& provider,
                 const std::string& source) {
  Counts counts;
  counts.provider = provider;
  const Source counted{Source::Kind::counted, source, {}};
  std::set<std::string> levels;
  for (const auto& [name, amount] : hardware.quantities) {
    const auto point = name.rfind('.');
    if (name.starts_with("flops."))
      take_flops(after(name, "flops."), amount, counts);
    else if (name == "loads" || name == "stores")
      counts.details[name == "loads" ? "load instructions" : "store instructions"] = amount;
    else if (point != std::string::npos && name.front() >= 'A' && name.front() <= 'Z')
      levels.insert(name.substr(0, point));
    else
      counts.details[name] = amount;
  }
  drop_sums(counts);
  for (const std::string& level : levels) take_level(level, hardware, counted, counts);
  if (!counts.operations.empty()) counts.operations_source = counted;
  counts.notes.insert(counts.notes.end(), hardware.notes.begin(), hardware.notes.end());
  for (const auto& [name, reason] : hardware.missing)
    counts.notes.push_back(name + " was not counted: " + reason);
  counts.flags = hardware.flags;
  return counts;
}

}  // namespace rooftune::counters
