#include "probe/identity.h"

#include <algorithm>

#include "os/topology.h"

namespace rooftune::probe {

void identify(Machine& machine, const Topology& topology, const CpuFeatures& features) {
  machine.cores = topology.cores;
  machine.numa_nodes = std::max(1, static_cast<int>(topology.numa_nodes.size()));
  machine.fast_memory_nodes = static_cast<int>(topology.fast_nodes.size());
  machine.simd_bits = features.simd_bits;
  machine.features = features.names;
  machine.identity = machine_identity(topology, features);
  machine.id = machine_id(machine.identity);
}

}  // namespace rooftune::probe
