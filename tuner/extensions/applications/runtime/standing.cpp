// Fitness of a configuration tuned elsewhere for this host.
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "os/topology.h"
#include "runtime/look_up.h"

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

MachineIdentity without_name(MachineIdentity identity) {
  identity.erase("hostname");
  return identity;
}

/// Within a factor of two; 0 is unknown.
bool is_within_factor_two(double a, double b) {
  return a == 0 || b == 0 || (a <= 2 * b && b <= 2 * a);
}

/// The first instruction set missing on this host; empty for none.
std::string lacking(const CapabilityClass& there, const CapabilityClass& here) {
  for (const std::string& feature : there.features)
    if (std::find(here.features.begin(), here.features.end(), feature) == here.features.end())
      return feature;
  return {};
}

/// Why the machines are of two classes; empty when they are of one.
std::string class_difference(const CapabilityClass& there, const CapabilityClass& here) {
  // Only x86 names its instruction sets so far: elsewhere the processor must be the same.
  if (there.features.empty() != here.features.empty() ||
      (there.features.empty() && there.model != here.model))
    return "may be of another architecture";
  if (there.simd_bits != here.simd_bits)
    return fmt::format("has {:g}-bit vectors, this one {:g}", there.simd_bits, here.simd_bits);
  if (!is_within_factor_two(there.cores, here.cores) ||
      !is_within_factor_two(there.threads, here.threads))
    return fmt::format("has {:g} cores with {:g} threads, {:g} with {:g} are usable here",
                       there.cores, there.threads, here.cores, here.threads);
  for (const auto& [level, bytes] : there.caches)
    if (const auto own = here.caches.find(level);
        own != here.caches.end() && !is_within_factor_two(bytes, own->second))
      return fmt::format("has {} of {:.4g} KiB, here it has {:.4g} KiB", excerpt(level),
                         bytes / 1024, own->second / 1024);
  return {};
}

int differences(const CapabilityClass& there, const CapabilityClass& here) {
  return (there.model != here.model) + (there.cores != here.cores) +
         (there.threads != here.threads) + (there.features != here.features) +
         (there.caches != here.caches);
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

Standing standing(const Exported& exported, const Host& host) {
  Standing result;
  const std::string there =
      fmt::format("machine {} ({})", excerpt(exported.machine),
                  exported.can ? excerpt(exported.can->model) : excerpt(exported.machine_id));
  const auto foreign = [&](const std::string& why) {
    result.reason = fmt::format("not used: it was tuned on {}, which {}", there, why);
    return result;
  };
  if (exported.can && !exported.can->gpu) {
    const std::string lacks = lacking(*exported.can, host.can);
    result.runs = lacks.empty();
    if (!result.runs) return foreign("has " + excerpt(lacks) + ", which this one lacks");
  }
  if ((!host.id.empty() && exported.machine_id == host.id) ||
      (exported.identity.size() > 1 &&
       without_name(exported.identity) == without_name(host.identity))) {
    result.place = Standing::Place::here;
    return result;
  }
  if (!exported.can) return foreign("does not say what it can; export it again");
  if (exported.can->gpu) return foreign("is a GPU; name it to use what was tuned there");
  if (const std::string why = class_difference(*exported.can, host.can); !why.empty())
    return foreign(why);
  result.place = Standing::Place::alike;
  result.unlike = differences(*exported.can, host.can);
  result.reason = "tuned on " + there + ", another one of this machine's class";
  return result;
}

}  // namespace rooftune::runtime
