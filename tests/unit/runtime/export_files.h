// Exports of this host and of others, as `tune export --format json` writes them.
#pragma once
#include <string>

#include "core/json.h"
#include "os/topology.h"
#include "support/scratch_folder.h"

namespace rooftune::testing {

/// What `tune probe` writes of this host.
inline Json this_host() {
  const Topology host = topology();
  const CpuFeatures features = cpu_features();
  const MachineIdentity identity = machine_identity(host, features);
  Json caches = Json::object();
  for (const ReportedCache& cache : host.caches) caches[cache.name] = cache.bytes;
  return {{"name", "host"},
          {"id", machine_id(identity)},
          {"class",
           {{"kind", "cpu"},
            {"model", host.cpu_model},
            {"cores", host.cores},
            {"threads", host.cpus.size()},
            {"simd_bits", features.simd_bits},
            {"features", features.names},
            {"caches", caches}}},
          {"identity", identity}};
}

/// A machine that differs from this host in its memory, and in what the caller changes.
inline Json another_host() {
  Json machine = this_host();
  machine["id"] = "another";
  machine["identity"]["memory"] = "1 GiB";
  return machine;
}

/// An export of triad, with the knob `unroll` and one of every other type.
inline Json exported(const Json& machine, const Json& problem, int unroll,
                     const std::string& date = "2026-11-21T10:01:06Z") {
  return {
      {"schema", "rooftune-export-1"},
      {"kernel", "triad"},
      {"machine", machine},
      {"problem", problem},
      {"configuration", {{"unroll", unroll}, {"nt", true}, {"format", "csr"}, {"ratio", 0.5}}},
      {"provenance", {{"study", "s1"}, {"date", date}, {"verdict", {{"sentence", "2x faster"}}}}}};
}

inline Json size(double n) { return {{"layout", "soa"}, {"n", static_cast<std::int64_t>(n)}}; }

/// Files by the names that the library takes.
class ExportFolder : public ScratchFolder {
 public:
  std::string path() const { return ScratchFolder::path().string(); }
  std::string write(const std::string& name, const std::string& text) const {
    return ScratchFolder::write(name, text).string();
  }
  std::string write(const std::string& name, const Json& json) const {
    return write(name, json.dump(1));
  }
};

}  // namespace rooftune::testing
