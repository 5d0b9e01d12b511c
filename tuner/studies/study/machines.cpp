#include "study/machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "core/error.h"
#include "core/folder.h"
#include "core/hash.h"
#include "core/list.h"
#include "core/text.h"
#include "kernel/kernel.h"
#include "os/paths.h"
#include "os/topology.h"
#include "roofline/machine_json.h"
#include "study/platform.h"

namespace rooftune::study {

namespace {

/// The part in an identity that says how many cores a process could use.
constexpr const char* usable_part = "usable cores";

/// Whether these (caches_text()) hold each of the host's caches, with at least as many instances.
bool holds_caches(const std::string& caches, const Topology& host) {
  return all_of(host.caches, [&](const ReportedCache& cache) {
    const std::string kind = fmt::format("{} {} KiB x ", cache.name, cache.bytes / 1024);
    const size_t at = caches.find(kind);
    return at != std::string::npos &&
           std::atoi(caches.c_str() + at + kind.size()) >= cache.instances;
  });
}

}  // namespace

ByName<fs::path> machine_files() {
  ByName<fs::path> found;
  for (const fs::path& directory : machine_directories())
    for (const fs::path& file : files_in(directory, ".json")) found.emplace(file.stem(), file);
  return found;
}

std::vector<std::pair<std::string, Machine>> readable_machines() {
  std::vector<std::pair<std::string, Machine>> machines;
  for (const auto& [name, file] : machine_files()) {
    try {
      machines.emplace_back(name, read_machine(file));
    } catch (const Error&) {
    }
  }
  return machines;
}

std::optional<fs::path> machine_file(const std::string& name) {
  if (name.ends_with(".json")) return fs::path(name);
  std::string underscored = name;  // people type a100-80
  std::ranges::replace(underscored, '-', '_');
  std::optional<fs::path> alike;
  for (const auto& [known, file] : machine_files()) {
    if (known == name) return file;
    if (known == underscored) alike = file;
  }
  return alike;
}

bool is_probed(const std::string& machine) {
  return machine != host_machine || machine_file(host_machine);
}

Machine load_machine(const std::string& name) {
  const auto file = machine_file(name);
  if (file) return read_machine(*file);
  if (name == host_machine)
    throw Error("nobody measured this machine yet", "--machine host", "tune probe measures it");
  Texts names{host_machine, card_machine};
  append(names, keys_of(machine_files()));

  throw Error(fmt::format("unknown machine \"{}\"", name), "--machine",
              did_you_mean(name, names) +
                  " (tune list machines; tune probe --machine NAME measures this one)");
}

std::string this_host() {
  const Topology host = topology();
  const CpuFeatures features = cpu_features();
  return fmt::format("{} ({} of {}, {}-bit vectors)", host.hostname,
                     plural(host.cores, "usable core"), host.cpu_model, features.simd_bits);
}

Machine as_usable_here(Machine machine, int threads) {
  const Topology host = topology();
  if (machine.is_gpu() || host.limited_by.empty() || host.cores >= machine.cores ||
      threads > host.cores)
    return machine;
  LabelledHash hash;
  hash.add("machine", machine.id).add(usable_part, std::to_string(host.cores));
  machine.id = hash.hex();
  machine.identity[usable_part] = std::to_string(host.cores);
  return machine;
}

std::string why_not_here(const Machine& machine) {
  const Topology host = topology();
  const CpuFeatures features = cpu_features();
  if (machine.is_gpu()) return "it is a gpu, not a CPU";
  auto* cpu = value_at(machine.identity, "cpu");
  if (!cpu) return "its file was not written by tune probe";
  if (*cpu != host.cpu_model)
    return fmt::format("its CPU is \"{}\", this one is \"{}\"", *cpu, host.cpu_model);
  if (machine.simd_bits != features.simd_bits)
    return fmt::format("it has {}-bit vectors, this one {}", machine.simd_bits, features.simd_bits);
  auto* part = value_at(machine.identity, usable_part);
  const bool whole = machine.cores == host.cores;
  if (!whole && (!part || std::stoi(*part) > host.cores)) {
    const std::string why = host.limited_by.empty() ? "" : ": " + host.limited_by.front();
    return fmt::format("it was measured with {} cores, {} are usable now{}", machine.cores,
                       host.cores, why);
  }
  // Files from earlier versions lack some parts.
  const auto differs = [&](const char* key, const std::string& now) {
    auto* value = value_at(machine.identity, key);
    return value && *value != now;
  };
  if (differs("hypervisor", host.hypervisor.empty() ? "none" : host.hypervisor))
    return fmt::format("it ran under \"{}\", this one under \"{}\"",
                       machine.identity.at("hypervisor"), host.hypervisor);
  if (differs("caches", caches_text(host)) &&
      (whole || !holds_caches(machine.identity.at("caches"), host)))
    return fmt::format("its caches are {}, here they are {}", machine.identity.at("caches"),
                       caches_text(host));
  if (machine.features != features.names) return "its instruction sets are not those of this CPU";
  return {};
}

void require_fit(const Machine& machine, const std::string& backend, const Texts& backends) {
  if (backend_row(backend).runs_on.value_or(machine.kind) == machine.kind) return;
  const std::string fits = default_backend(machine.kind);
  const bool has = contains(backends, fits);
  if (machine.is_gpu())
    throw Error(fmt::format("machine \"{}\" is a GPU, the {} back end computes on CPUs",
                            machine.name, backend),
                "--backend",
                fmt::format("{}; --machine host fits {}",
                            has ? "--backend " + fits + " fits it"
                                : "this kernel has no " + fits + " back end",
                            backend));
  throw Error(fmt::format("machine \"{}\" is a CPU, the {} back end computes on GPUs", machine.name,
                          backend),
              "--machine",
              "name a GPU: a100, h200, ... (tune list machines); --dry-run needs none here");
}

Machine unprobed_host() {
  const Topology host = topology();
  const CpuFeatures features = cpu_features();
  Machine machine;
  machine.name = host_machine;
  machine.cores = host.cores;
  machine.numa_nodes = int(std::max<size_t>(1, host.numa_nodes.size()));
  machine.fast_memory_nodes = int(host.fast_nodes.size());
  machine.simd_bits = features.simd_bits;
  machine.features = features.names;
  for (const ReportedCache& cache : host.caches) {
    const auto bytes = double(cache.bytes);
    machine.levels.push_back({cache.name, bytes, bytes, cache.instances});
  }
  machine.levels.push_back({"DRAM", std::nullopt, std::nullopt, 1});
  return machine;
}

}  // namespace rooftune::study
