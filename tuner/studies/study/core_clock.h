// The clock of the tuner's own core during measurements, against the clock of the machine's probe.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "roofline/machine.h"
#include "store/study_record.h"

namespace rooftune::study {

/// Core clock of this machine's probe beside the in-core ceilings [Hz]: the slowest of the medians
/// of each vector width, because wide vectors may lower it. nullopt for a file without one.
std::optional<double> probed_clock(const Machine& machine);

/// "the core's clock was 2.90 GHz, 15 % below ...": where the slower of the two readings is more
/// than 5 % below the probe's. Empty otherwise, and where either is unknown.
std::string clock_drop(const Environment& environment, const Machine& machine);

/// Notes for the reader on the clock in the records of the run and its trials.
std::vector<std::string> clock_notes(const StudyRecord& study, const Machine& machine);

}  // namespace rooftune::study
