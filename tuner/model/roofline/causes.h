// Changed knobs that brought a variant past a ceiling or wall.
#pragma once
#include <vector>

#include "roofline/ledger.h"

namespace rooftune::roofline {

/// Whether a change can bring a paradigm the limit lacks: its knob says so, and the change is not
/// away from it (switched off; fewer threads, narrower vectors, fewer chains, less prefetch).
bool can_add(const Step::Change& change, const Paradigms& lacks);

/// Fills knobs, set_back, not_set_back and evidence of a passed entry. Names only changes able to
/// bring a lacking paradigm: first those whose setting back, measured, brings the limit (`seconds`,
/// the longest time at it) back; if one could not be set back, no other is credited; then those
/// that cost time together; and with nothing set back the last step of the search to cross the
/// limit.
void name_causes(const std::vector<Step>& path, const Attribution& attribution, double seconds,
                 LedgerEntry& entry);

}  // namespace rooftune::roofline
