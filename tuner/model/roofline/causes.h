// Which changed knobs brought a variant past a ceiling or wall.
#pragma once
#include <vector>

#include "roofline/ledger.h"

namespace rooftune::roofline {

/// Whether a change can bring what a limit lacks: its knob says so, and the change is not away from
/// it (switched off; fewer threads, narrower vectors, fewer chains, less prefetch).
bool brings(const Step::Change& change, const Paradigms& lacks);

/// Fills knobs, set_back, not_set_back and evidence of an entry that was passed. Only changes that
/// bring what it lacks are named: first those whose setting back, measured, brings the limit
/// (`seconds`, the longest time at it) back; where one could not be set back nobody else is
/// credited; then those that cost time together; and where nothing was set back the last step of
/// the search that crossed it.
void name_causes(const std::vector<Step>& path, const Attribution& attribution, double seconds,
                 LedgerEntry& entry);

}  // namespace rooftune::roofline
