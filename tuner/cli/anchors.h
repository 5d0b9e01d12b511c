// The anchors of a run: a few ceilings of this host measured again at its start and at its end, and
// what else the machine did meanwhile.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "roofline/drift.h"

namespace rooftune {

/// The anchors of a machine as they are now, half a second each; empty when `wanted` is false, the
/// machine is no CPU, or this architecture has no micro-kernels.
std::vector<Ceiling> read_anchors(const Machine& machine, bool wanted);
/// Whether a run is long enough for anchors to pay: any but fewer than 16 evaluations or 20 s.
bool worth_anchors(const std::optional<std::uint64_t>& evaluations,
                   const std::optional<double>& seconds);

Json to_json(const AnchorReadings& readings);
/// Throws Error for what is no such record.
AnchorReadings anchors_from_json(const Json& json, const std::string& where);

/// Why pruning would not be safe: an anchor is faster than the file by more than a third of the
/// margin that proofs allow. Empty when it is safe.
std::string why_no_pruning(const Machine& machine, const std::vector<Ceiling>& now);

}  // namespace rooftune
