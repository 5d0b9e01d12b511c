// This computer's cards: their machine files, compilers and planned launches.
#pragma once
#include <optional>
#include <string>

#include "build/artefact.h"
#include "roofline/launch_time.h"
#include "roofline/machine.h"
#include "run/host_evaluator.h"

namespace rooftune::host {

/// Why this computer cannot measure for the machine: no driver, another card, or another slice of
/// one (named); empty when it can.
std::string why_no_card(const Machine& machine, const std::string& card);
/// The name under which timings on the card take turns: its UUID, since indices begin at 0 in every
/// process that sees only some cards. For a card that is not here, any name.
std::string lock_name(const std::string& card);

/// Throws Error (ExitCode::unavailable) when the machine file does not describe its GPU.
const GpuFacts& gpu_of(const Machine& machine);
/// Sets the cache's warp size from the machine, and picks a compiler of the runtime that knows the
/// machine's architecture and whose code this computer's driver can load. Throws Error
/// (ExitCode::unavailable).
void use_gpu_compiler(ArtefactCache& cache, const Machine& machine, const std::string& runtime);

/// The call time that the compiled code can reach on the machine, and the time it likely takes;
/// nullopt where it cannot run, or its threads were not followed.
std::optional<CallTime> planned_time(const GpuPlan& plan, const Machine& machine, Seconds least);

/// One line about a planned configuration: registers, stack, spills, shared memory, occupancy,
/// grid; or why it cannot run.
std::string plan_line(const GpuPlan& plan, const Machine& machine);
Json to_json(const GpuPlan& plan, const Machine& machine);

}  // namespace rooftune::host
