#include "host/doctor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <functional>

#include "core/error.h"
#include "core/units.h"
#include "counters/provider.h"
#include "host/backends_here.h"
#include "kernel/backend.h"
#include "os/hypervisor.h"
#include "os/paths.h"
#include "os/topology.h"
#include "study/machines.h"

namespace rooftune::host {
namespace {

using State = HostCheck::State;
namespace fs = std::filesystem;

std::vector<HostCheck> backend_checks() {
  std::vector<HostCheck> checks;
  for (const BackendHere& backend : backends_here()) {
    const std::string what =
        backend_row(backend.name).builder == Builder::host_compiler ? "compiler" : backend.name;
    if (backend.available)
      checks.push_back({what, State::good, backend.with, "", ""});
    else
      checks.push_back({what, State::absent, backend.with,
                        "only studies with --backend " + backend.name + " need it", backend.cure});
  }
  return checks;
}

std::vector<HostCheck> counter_checks() {
  std::vector<std::string> can;
  std::string reason, cure;
  for (const CounterProviderRow& row : counter_providers()) {
    if (row.on_card()) continue;
    const Availability availability = row.availability();
    if (availability.available) can.emplace_back(row.name);
    if (!availability.available && reason.empty())
      reason = availability.reason, cure = availability.cure;
  }
  const std::string names = fmt::format("{}", fmt::join(can, ", "));
  if (reason.empty()) return {{"counters", State::good, names, "", ""}};
  if (can.empty())
    return {{"counters", State::limits, reason, "the gap is not split into work, traffic and rate",
             cure}};
  return {{"counters", State::limits, fmt::format("{}; {}", names, reason),
           "flops and bytes are counted by running an instrumented copy, which is slower", cure}};
}

/// The processor, its hypervisor or container, and its settings.
std::vector<HostCheck> processor_checks() {
  const Topology here = topology();
  std::vector<HostCheck> checks;
  const std::string found =
      fmt::format("{}, {} core{}, {} NUMA node{}, vectors of {} bits", here.cpu_model, here.cores,
                  here.cores == 1 ? "" : "s", here.numa_nodes.size(),
                  here.numa_nodes.size() == 1 ? "" : "s", cpu_features().simd_bits);
  if (here.limited_by.empty())
    checks.push_back({"processor", State::good, found, "", ""});
  else
    checks.push_back({"processor", State::limits,
                      fmt::format("{}; {}", found, fmt::join(here.limited_by, "; ")),
                      "bounds and variants are for this part of the machine",
                      "run without the limit (taskset, cgroup, cpuset) to tune the whole"});
  const std::string above = here.hypervisor.empty() ? hypervisor() : here.hypervisor;
  if (above.empty())
    checks.push_back({"virtual", State::good, "no hypervisor", "", ""});
  else
    checks.push_back({"virtual", State::limits, above,
                      "neighbours disturb times, caches may be misreported, hardware counters are "
                      "mostly missing",
                      "intervals tell how much; a machine of your own has narrower ones"});
  for (HostCheck& check : setting_checks(host_settings(), here.cores))
    checks.push_back(std::move(check));
  return checks;
}

/// The nearest existing folder above.
fs::path existing(fs::path folder) {
  std::error_code ignored;
  while (!fs::exists(folder, ignored) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

HostCheck folder_check(const char* what, const fs::path& folder, const char* variable) {
  constexpr double least_free = 1e9;
  const fs::path there = existing(folder);
  const std::string cure = fmt::format("name another with {}", variable);
  if (!fs::is_directory(there) || access(there.c_str(), W_OK) != 0)
    return {what, State::fault, folder.string() + " cannot be written", "nothing could be kept",
            cure};
  std::error_code failed;
  const auto space = fs::space(there, failed);
  const double free = failed ? NAN : static_cast<double>(space.available);
  const std::string found = fmt::format(
      "{}{}", folder.string(), failed ? "" : fmt::format(", {} free", to_text(Bytes(free))));
  if (free < least_free)
    return {what, State::limits, found, "a full disk ends studies", "tune cache clean, or " + cure};
  return {what, State::good, found, "", ""};
}

std::vector<HostCheck> folder_checks(const fs::path& results) {
  return {folder_check("results", results, "ROOFTUNE_RESULTS"),
          folder_check("cache", cache_directory(), "ROOFTUNE_CACHE")};
}

std::vector<HostCheck> machine_file_check() {
  const char* const cure = "tune probe (under a minute), tune probe --full";
  const auto file = machine_file("host");
  if (!file)
    return {{"ceilings", State::absent, "this machine was never measured",
             "the first study measures it before it begins", cure}};
  const Machine machine = read_machine(*file);
  if (const std::string other = why_not_here(machine); !other.empty())
    return {{"ceilings", State::limits, other, "bounds would be those of another machine", cure}};
  return {{"ceilings", State::good,
           fmt::format("{} in {}", machine.ceilings.size(), file->string()), "", ""}};
}

/// Adds the checks of one group; its failure is a fault of its own, and the others go on.
void add(std::vector<HostCheck>& checks, const char* what,
         const std::function<std::vector<HostCheck>()>& group) {
  try {
    for (HostCheck& check : group()) checks.push_back(std::move(check));
  } catch (const Error& error) {
    checks.push_back({what, State::fault, error.message(), "no study can run", error.hint()});
  }
}

}  // namespace

std::vector<HostCheck> setting_checks(const HostSettings& settings, int cores) {
  std::vector<HostCheck> checks;
  const auto check = [&](const char* what, bool good, const std::string& found, const char* effect,
                         const char* cure) {
    checks.push_back(
        {what, good ? State::good : State::limits, found, good ? "" : effect, good ? "" : cure});
  };
  if (settings.governor)
    check("clock", *settings.governor == "performance", "governor " + *settings.governor,
          "cores begin slowly: short kernels seem slower than they are",
          "cpupower frequency-set -g performance (as root)");
  else
    checks.push_back({"clock", State::unknown, "no governor can be read",
                      "clocks that change make intervals wider", ""});
  if (settings.boost)
    check(
        "boost", !*settings.boost, *settings.boost ? "on" : "off",
        "the clock depends on heat and on busy cores: times differ from run to run",
        "races are interleaved, so leave it on for what users will see; off gives steadier times");
  if (settings.huge_pages)
    check("huge pages", *settings.huge_pages != "never", *settings.huge_pages,
          "knobs and ceilings with huge pages are out of reach",
          "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled (as root)");
  if (settings.numa_balancing)
    check("NUMA pages", !*settings.numa_balancing,
          *settings.numa_balancing ? "numa_balancing is on" : "numa_balancing is off",
          "pages move while a variant is timed", "sysctl kernel.numa_balancing=0 (as root)");
  if (settings.load)
    check("load", *settings.load < 0.25 * cores,
          fmt::format("{:.2f} in the last minute on {} cores", *settings.load, cores),
          "others compute at the same time: intervals are wide, differences are lost",
          "wait, or end what else runs");
  return checks;
}

std::vector<HostCheck> host_checks(const fs::path& results) {
  std::vector<HostCheck> checks;
  add(checks, "compiler", backend_checks);
  add(checks, "processor", processor_checks);
  add(checks, "counters", counter_checks);
  add(checks, "ceilings", machine_file_check);
  add(checks, "folders", [&] { return folder_checks(results); });
  return checks;
}

Json to_json(const std::vector<HostCheck>& checks) {
  Json rows = Json::array();
  for (const HostCheck& check : checks)
    rows.push_back({{"what", check.what},
                    {"state", word(check.state)},
                    {"found", check.found},
                    {"effect", check.effect},
                    {"cure", check.cure}});
  return {{"schema", "rooftune-doctor-1"}, {"checks", rows}};
}

}  // namespace rooftune::host
