// The identity of this host: the facts that separate one measured host from another.
#pragma once
#include <map>
#include <string>

#include "os/topology.h"

namespace rooftune::os {

using MachineIdentity = std::map<std::string, std::string>;
MachineIdentity machine_identity(const Topology& topology, const CpuFeatures& features);
/// The hash of all of them, Machine::id.
std::string machine_id(const MachineIdentity& identity);

}  // namespace rooftune::os
