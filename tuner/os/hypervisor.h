// Who emulates this machine, as the CPU itself says.
#pragma once
#include <string>

namespace rooftune::inline os {

/// "KVM", "VMware", ... or the raw signature; empty on bare metal and where the CPU cannot tell.
std::string hypervisor();

}  // namespace rooftune::inline os
