// Properties of this computer that affect results: state, effect, cure.
#include "host/doctor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <functional>

#include "build/artefact.h"
#include "build/compilation.h"
#include "build/host_compiler.h"
#include "build/kokkos.h"
#include "core/error.h"
#include "core/file.h"
#include "core/list.h"
#include "core/pattern.h"
#include "core/text.h"
#include "core/units.h"
#include "counters/provider.h"
#include "host/host_platform.h"
#include "kernel/kernel.h"
#include "os/paths.h"
#include "os/topology.h"
#include "roofline/machine_json.h"
#include "run/gpu_runtime.h"
#include "study/machines.h"
#include "study/platform.h"

namespace rooftune::host {
namespace {

using State = HostCheck::State;

/// The system's own words.
constexpr const char *best_governor = "performance", *no_pages = "never", *off = "0";

/// Reports a property that makes results worse unless it is good.
HostCheck check_of(const char* what, bool good, const std::string& found, const char* effect,
                   const std::string& cure) {
  return good ? HostCheck{what, State::good, found, "", ""}
              : HostCheck{what, State::limits, found, effect, cure};
}

HostChecks backend_checks() {
  HostChecks checks;
  for (const BackendHere& backend : backends_here()) {
    const bool host = backend_row(backend.name).builder == Builder::host_compiler;
    HostCheck& check = checks.emplace_back(
        HostCheck{host ? "compiler" : backend.name, State::good, backend.with, "", ""});
    if (backend.available) continue;
    check.state = host ? State::fault : State::absent;
    check.effect = host ? "no variant can be built"
                        : "only studies with --backend " + backend.name + " need it";
    check.cure = backend.cure;
  }
  return checks;
}

HostChecks counter_checks() {
  Texts can;
  std::string reason, cure;
  for (const CounterProviderRow& row : counter_providers()) {
    if (row.on_card()) continue;
    const Availability availability = row.availability();
    if (availability.available) can.emplace_back(row.name);
    if (!availability.available && reason.empty())
      reason = availability.reason, cure = availability.cure;
  }
  if (can.empty())
    return {check_of("counters", reason.empty(), reason,
                     "the gap is not split into work, traffic and rate", cure)};
  return {check_of("counters", reason.empty(),
                   fmt::format("{}{}{}", joined(can), reason.empty() ? "" : "; ", reason),
                   "flops and bytes are counted by running an instrumented copy, which is slower",
                   cure)};
}

/// The processor, its hypervisor or container, and its settings.
HostChecks processor_checks() {
  const Topology here = topology();
  std::string found =
      fmt::format("{}, {}, {}, vectors of {} bits", here.cpu_model, plural(here.cores, "core"),
                  plural(here.numa_nodes.size(), "NUMA node"), cpu_features().simd_bits);
  for (const std::string& limit : here.limited_by) found += "; " + limit;
  const std::string above = here.hypervisor.empty() ? hypervisor() : here.hypervisor;
  HostChecks checks{
      check_of("processor", here.limited_by.empty(), found,
               "bounds and variants are for this part of the machine",
               "run without the limit (taskset, cgroup, cpuset) to tune the whole"),
      check_of("virtual", above.empty(), above.empty() ? "no hypervisor" : above,
               "neighbours disturb times, caches may be misreported, hardware counters are mostly "
               "missing",
               "intervals tell how much; a machine of your own has narrower ones")};
  append(checks, setting_checks(here.cores));
  return checks;
}

/// The folder itself, or the nearest above that exists.
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
  const double free = failed ? NAN : double(space.available);
  const std::string found = fmt::format(
      "{}{}", folder.string(), failed ? "" : fmt::format(", {} free", to_text(Bytes(free))));
  return check_of(what, !(free < least_free), found, "a full disk ends studies",
                  "remove what is old there, or " + cure);
}

HostChecks folder_checks(const fs::path& results) {
  return {folder_check("results", results, "ROOFTUNE_RESULTS"),
          folder_check("cache", cache_directory(), "ROOFTUNE_CACHE")};
}

HostChecks machine_file_check() {
  const char* const cure = "tune probe (15 s), tune probe --full";
  const auto file = machine_file(host_machine);
  if (!file)
    return {{"ceilings", State::absent, "this machine was never measured",
             "the first study measures it before it begins", cure}};
  const Machine machine = read_machine(*file);
  const std::string other = why_not_here(machine);
  return {check_of(
      "ceilings", other.empty(),
      other.empty() ? fmt::format("{} in {}", machine.ceilings.size(), file->string()) : other,
      "bounds would be those of another machine", cure)};
}

/// Adds a group's checks. A group that fails adds a fault, and the other groups go on.
void add(HostChecks& checks, const char* what, const std::function<HostChecks()>& group) {
  try {
    append(checks, group());
  } catch (const Error& error) {
    checks.push_back({what, State::fault, error.message(), "no study can run", error.hint()});
  }
}

BackendHere kokkos_here(const HostCompiler& compiler) {
  try {
    const KokkosLibrary library =
        kokkos_library(cache_directory() / "artefacts" / "kokkos", compiler);
    return {
        "kokkos", library.on_host(),
        fmt::format("Kokkos {} ({}) in {}", library.version_text(), library.space, library.origin),
        library.on_host() ? "" : "name one that computes on the CPU: ROOFTUNE_KOKKOS=<its prefix>"};
  } catch (const Error& error) {
    return {"kokkos", false, error.message(), error.hint()};
  }
}

/// The cards, and words about their driver and counters; without a card, why there is none.
struct CardsHere {
  std::vector<InstalledCard> cards;
  std::string words, cure;
};

CardsHere cards_of(const GpuRuntime& runtime) {
  CardsHere here;
  try {
    here.cards = runtime.cards();
  } catch (const Error& error) {
    here.words = "no card: " + error.message();
    here.cure = error.hint();
    return here;
  }
  here.words = "driver of " + runtime.driver_text(here.cards.front().driver);
  for (const InstalledCard& card : here.cards)
    here.words += fmt::format(", card {}: {} ({})", card.index, card.name, card.uuid);
  const Availability counters = runtime.counters();
  here.words += (counters.available ? ", " : ", no counters: ") + counters.reason;
  return here;
}

/// A GPU back end always needs a compiler, and a card to measure on; both must fit the driver.
BackendHere backend_of(const GpuRuntime& runtime) {
  const CardsHere here = cards_of(runtime);
  const GpuCompilerRow& row = runtime.compiler();
  constexpr int without_card = 80;
  try {
    const GpuCompiler compiler =
        here.cards.empty()
            ? row.choose(without_card, 0)
            : row.choose(here.cards.front().facts.compute_capability, here.cards.front().driver);
    const std::string fault = why_nothing_compiles(compiler);
    if (!fault.empty())
      throw Error(fmt::format("{} {} compiles nothing: {}", row.name, compiler.version, fault),
                  compiler.library, "the parts of its installation belong together");
    return {runtime.name, !here.cards.empty(),
            fmt::format("{} {}, {}", row.name, compiler.version, here.words), here.cure};
  } catch (const Error& error) {
    return {runtime.name, false, error.message() + "; " + here.words, error.hint()};
  }
}

}  // namespace

HostChecks setting_checks(int cores, const fs::path& root) {
  HostChecks checks;
  const auto check = [&](const char* what, bool good, const std::string& found, const char* effect,
                         const char* cure) {
    checks.push_back(check_of(what, good, found, effect, cure));
  };
  const auto first_line = [&](const char* file) {
    const std::string text = text_if_readable(root / file);
    return text.substr(0, text.find('\n'));
  };
  if (const auto governor = first_line("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
      !governor.empty())
    check("clock", governor == best_governor, "governor " + governor,
          "cores begin slowly: short kernels seem slower than they are",
          "cpupower frequency-set -g performance (as root)");
  else
    checks.push_back({"clock", State::unknown, "no governor can be read",
                      "clocks that change make intervals wider", ""});
  const std::string boost = first_line("sys/devices/system/cpu/cpufreq/boost");
  // Intel's driver says the opposite in a file of its own.
  const std::string no_turbo = first_line("sys/devices/system/cpu/intel_pstate/no_turbo");
  const bool on = no_turbo.empty() ? boost != off : no_turbo == off;
  if (!boost.empty() || !no_turbo.empty())
    check("boost", !on, on ? "on" : "off",
          "the clock depends on heat and on busy cores: times differ from run to run",
          "races are interleaved, so leave it on for the clock of daily use; off gives steadier "
          "times");
  // The word in brackets: "always [madvise] never".
  const std::string choice = first_line("sys/kernel/mm/transparent_hugepage/enabled");
  if (const auto pages = Pattern(R"(\[(.*)\])").search(choice))
    check("huge pages", (*pages)[1] != no_pages, (*pages)[1],
          "knobs and ceilings with huge pages are out of reach",
          "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled (as root)");
  if (const auto balancing = first_line("proc/sys/kernel/numa_balancing"); !balancing.empty())
    check("NUMA pages", balancing == off,
          balancing == off ? "numa_balancing is off" : "numa_balancing is on",
          "pages move while a variant is timed", "sysctl kernel.numa_balancing=0 (as root)");
  if (const auto load = first_line("proc/loadavg"); !load.empty())
    check("load", std::atof(load.c_str()) < 0.25 * cores,
          fmt::format("{:.2f} in the last minute on {} cores", std::atof(load.c_str()), cores),
          "others compute at the same time: intervals are wide, differences are lost",
          "wait, or end the other programs");
  return checks;
}

HostChecks host_checks(const fs::path& results) {
  HostChecks checks;
  add(checks, "compiler", backend_checks);
  add(checks, "processor", processor_checks);
  add(checks, "counters", counter_checks);
  add(checks, "ceilings", machine_file_check);
  add(checks, "folders", [&] { return folder_checks(results); });
  return checks;
}

Json json_of(const HostChecks& checks) {
  return {{"schema", "rooftune-doctor-1"}, {"checks", encode(checks)}};
}

std::vector<BackendHere> backends_here() {
  const HostCompiler compiler = host_compiler();
  const std::string fault = sample_fault(compiler);
  std::vector<BackendHere> all{
      {"openmp", fault.empty(), compiler.version + (fault.empty() ? "" : ": " + fault),
       fault.empty() ? "" : "install the compiler's OpenMP (libomp-dev of clang), or set CXX"},
      kokkos_here(compiler)};
  for (const GpuRuntime& runtime : gpu_runtimes()) all.push_back(backend_of(runtime));
  return all;
}

}  // namespace rooftune::host
