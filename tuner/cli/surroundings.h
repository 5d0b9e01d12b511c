// What else the machine did during a trial or a run, as it is recorded and as it is told.
// The caller takes a reading before and one after.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "probe/contention.h"
#include "roofline/machine.h"
#include "store/record_store.h"

namespace rooftune {

/// {"note": in words, "clock": [before, after] in Hz, null where unknown}.
Json surroundings(const microbench::Contention& before, const microbench::Contention& after);

/// Core clock that the probe of this machine saw beside its in-core ceilings [Hz]: the slowest of
/// the medians of each vector width, because wide vectors may lower it. nullopt when the file holds
/// none.
std::optional<double> probed_clock(const Machine& machine);

/// "the core's clock was 2.90 GHz, 15 % below ...": where the slower of the two readings of a
/// record is more than 5 % below the probe's. Empty otherwise, and where either is unknown.
std::string clock_drop(const Json& surroundings, const Machine& machine);

/// What the run's record and those of its trials say of the clock, for the reader's notes.
std::vector<std::string> clock_notes(const StoredStudy& study, const Machine& machine);

}  // namespace rooftune
