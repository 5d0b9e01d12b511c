// Who emulates this machine, as the CPU itself says.
#pragma once
#include <string>

#include "core/modules.h"

namespace rooftune::os {

/// "KVM", "VMware", ... or the raw signature; empty on bare metal and where the CPU cannot tell.
std::string hypervisor();

}  // namespace rooftune::os
