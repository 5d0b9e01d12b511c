// The hypervisor under this machine, by the CPU itself.
#pragma once
#include <string>

#include "core/modules.h"

namespace rooftune::os {

/// "KVM", "VMware", ... or the raw signature; empty on bare metal and for an unknown CPU.
std::string hypervisor();

}  // namespace rooftune::os
