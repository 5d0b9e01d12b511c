// Machine files.
#pragma once
#include <filesystem>
#include <string>

#include "roofline/machine.h"

namespace rooftune::roofline {

/// Reads machines/<name>.json ("rooftune-machine-1"); all faults at once in one Error.
Machine read_machine(const fs::path& file);
Machine machine_from_json(const Json& json, const std::string& where);
/// Also a host without a probe, whose ceilings are missing.
void decode(const Place& place, Machine& machine);
Json to_json(const Machine& machine);

}  // namespace rooftune::roofline
