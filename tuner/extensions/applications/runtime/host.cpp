#include "runtime/host.h"

#include "os/topology.h"

namespace rooftune::runtime {
namespace {

void describe(Host& host) {
  const Topology here = topology();
  const CpuFeatures features = cpu_features();
  host.identity = machine_identity(here, features);
  host.id = machine_id(host.identity);
  host.can.model = here.cpu_model;
  host.can.cores = here.cores;
  host.can.threads = static_cast<double>(here.cpus.size());
  host.can.simd_bits = features.simd_bits;
  host.can.features = features.names;
  for (const ReportedCache& cache : here.caches)
    host.can.caches[cache.name] = static_cast<double>(cache.bytes);
  host.features = host.identity.at("features");
  host.caches = host.identity.at("caches");
  host.shown = {host.id.c_str(),
                host.can.model.c_str(),
                host.features.c_str(),
                host.caches.c_str(),
                here.cores,
                static_cast<int>(here.cpus.size()),
                features.simd_bits};
}

}  // namespace

const Host& host() {
  // Never destroyed: threads may ask while the process ends.
  static const Host* const one = [] {
    auto* const made = new Host;
    describe(*made);
    return made;
  }();
  return *one;
}

const rooftune_machine& shown_host() noexcept {
  static constexpr rooftune_machine unknown{"", "", "", "", 1, 1, 0};
  try {
    return host().shown;
  } catch (...) {
    return unknown;
  }
}

}  // namespace rooftune::runtime
