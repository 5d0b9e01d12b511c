// The identity of this machine among measured hosts.
#pragma once
#include "os/topology.h"
#include "roofline/machine.h"

namespace rooftune::probe {

/// Fills name-independent facts: identity, id, cores, numa_nodes, simd_bits, features.
void identify(Machine& machine, const Topology& topology, const CpuFeatures& features);

}  // namespace rooftune::probe
