// librooftune_kokkos.so: shares of time of the kernels of an unmodified Kokkos application, with
// their team and tile sizes. Kokkos loads it (KOKKOS_TOOLS_LIBS; KOKKOS_PROFILE_LIBRARY before 3.7)
// and calls these functions around every dispatch; built with tuning it also asks them for sizes.
// At the end they write a profile for `tune kokkos`, or the times for `tune`.
//
// Needs nothing of Kokkos: the interface is C and the same since 3.0. No exception leaves it:
// observation must not end an application.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "kokkos/tuning.h"

#define ROOFTUNE_HOOK extern "C" __attribute__((visibility("default"))) void

ROOFTUNE_HOOK kokkosp_request_values(std::size_t, std::size_t,
                                     const rooftune::kokkos::tools::Variable*, std::size_t,
                                     rooftune::kokkos::tools::Variable*);

namespace rooftune::kokkos {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

struct Kernel {
  std::string name;
  std::string_view pattern;  ///< "for", "reduce", "scan"
  std::uint32_t device;
  auto operator<=>(const Kernel&) const = default;
};

struct Total {
  std::uint64_t calls = 0;
  double seconds = 0;
};

struct Running {
  const Kernel* kernel;
  Clock::time_point begin;
};

struct Profile {
  std::mutex mutex;
  Clock::time_point begin;
  std::map<Kernel, Total> kernels;
  std::unordered_map<std::uint64_t, Running> running;
  std::uint64_t next = 1;
  std::string version;
};

/// Never destroyed: kernels may run in destructors of the application.
Profile& profile() {
  static Profile& the_one = *new Profile;
  return the_one;
}

Tuning& tuning() {
  static Tuning& the_one = *new Tuning(kokkosp_request_values);
  return the_one;
}

/// Kinds of devices as Kokkos numbers them, in the upper eight bits.
const char* device_name(std::uint32_t device) {
  constexpr const char* names[] = {"Serial", "OpenMP",  "Cuda", "HIP",    "OpenMPTarget",
                                   "HPX",    "Threads", "SYCL", "OpenACC"};
  const std::uint32_t kind = device >> 24;
  return kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

void begin(const char* pattern, const char* name, std::uint32_t device, std::uint64_t* id) try {
  tuning().begin_kernel(name, device);
  Profile& all = profile();
  const std::lock_guard lock(all.mutex);
  const auto kernel =
      all.kernels.try_emplace({name ? name : "", pattern, device >> 24 << 24}).first;
  *id = all.next++;
  all.running[*id] = {&kernel->first, Clock::now()};
} catch (...) {
  *id = 0;
}

void end(std::uint64_t id) try {
  const auto now = Clock::now();
  tuning().end_kernel();
  Profile& all = profile();
  const std::lock_guard lock(all.mutex);
  const auto running = all.running.find(id);
  if (running == all.running.end()) return;
  Total& total = all.kernels[*running->second.kernel];
  total.seconds += std::chrono::duration<double>(now - running->second.begin).count();
  ++total.calls;
  all.running.erase(running);
} catch (...) {
}

constexpr const char* profile_variable = "ROOFTUNE_KOKKOS_PROFILE";

/// One file for each rank of MPI.
std::string file_name() {
  const std::string chosen = environment(profile_variable),
                    name = chosen.empty() ? "rooftune-kokkos.json" : chosen;
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (const std::string rank = environment(variable); !rank.empty()) return name + "." + rank;
  return name;
}

std::string document(const Profile& all) {
  Json kernels = Json::array(), tunables = Json::array();
  for (const auto& [kernel, total] : all.kernels)
    if (total.calls > 0)
      kernels.push_back({{"name", kernel.name},
                         {"pattern", kernel.pattern},
                         {"device", device_name(kernel.device)},
                         {"calls", total.calls},
                         {"seconds", total.seconds}});
  for (const Tunable& tunable : tuning().tunables())
    tunables.push_back({{"knob", tunable.knob},
                        {"variable", tunable.variable},
                        {"kernel", tunable.candidates.name().kernel},
                        {"values", tunable.candidates.choices(tunable.place)}});
  const Json json{{"schema", "rooftune-kokkos-1"},
                  {"kokkos", all.version},
                  {"seconds", std::chrono::duration<double>(Clock::now() - all.begin).count()},
                  {"kernels", kernels},
                  {"tunables", tunables}};
  // Labels are the application's: any bytes.
  return json.dump(1, ' ', true, Json::error_handler_t::replace) + '\n';
}

/// For the metric of `tune --command ... --kokkos`.
void say_times(const Profile& all) {
  std::map<std::string, double> seconds;
  double total = 0, tuned = 0;
  for (const auto& [kernel, one] : all.kernels) {
    seconds[kernel.name] += one.seconds;
    total += one.seconds;
  }
  std::set<std::string> kernels;
  for (const Tunable& tunable : tuning().tunables())
    kernels.insert(tunable.candidates.name().kernel);
  for (const std::string& kernel : kernels) {
    const auto timed = seconds.find(kernel);
    // A variable of the application itself may act on any kernel.
    if (timed == seconds.end()) tuned = total;
    if (tuned < total && timed != seconds.end()) tuned += timed->second;
    if (timed != seconds.end())
      std::fprintf(stderr, "rooftune: %.9g s in kernel %s\n", timed->second, kernel.c_str());
  }
  std::fprintf(stderr, "rooftune: %.9g s in tuned kernels\n", std::min(tuned, total));
}

/// Beside the target and renamed, to keep readers from half a file.
void write(const std::string& name, const std::string& text) {
  const std::string part = name + "." + std::to_string(getpid()) + ".part";
  std::FILE* const file = std::fopen(part.c_str(), "w");
  const bool written = file && std::fputs(text.c_str(), file) >= 0;
  const bool closed = file && std::fclose(file) == 0;
  if (written && closed && std::rename(part.c_str(), name.c_str()) == 0) {
    std::fprintf(stderr, "rooftune: wrote %s; tune kokkos %s shows it\n", name.c_str(),
                 name.c_str());
    return;
  }
  std::fprintf(stderr, "rooftune: %s cannot be written: the profile is lost\n", name.c_str());
  std::remove(part.c_str());
}

/// With values from exports a profile is written only to a named file.
bool writes_profile() {
  return !environment(profile_variable).empty() || (!is_trial() && !has_exports());
}

}  // namespace
}  // namespace rooftune::kokkos

using namespace rooftune::kokkos;

ROOFTUNE_HOOK kokkosp_init_library(int, std::uint64_t, std::uint32_t, void*) {
  profile().begin = Clock::now();
}
ROOFTUNE_HOOK kokkosp_declare_metadata(const char* name, const char* value) try {
  if (std::string(name) != "Kokkos Version") return;
  profile().version = value;
  tuning().set_version(value);
} catch (...) {
}
ROOFTUNE_HOOK kokkosp_finalize_library() try {
  Profile& all = profile();
  const std::lock_guard lock(all.mutex);
  if (writes_profile()) write(file_name(), document(all));
  if (is_trial()) return say_times(all);
  if (const auto [tuned, known] = tuning().tuned_kernels(); has_exports())
    std::fprintf(stderr, "rooftune: tuned values for %zu of %zu kernels that can have some\n",
                 tuned, known);
} catch (...) {
  std::fputs("rooftune: out of memory: the profile is lost\n", stderr);
}
ROOFTUNE_HOOK kokkosp_begin_parallel_for(const char* name, std::uint32_t device,
                                         std::uint64_t* id) {
  begin("for", name, device, id);
}
ROOFTUNE_HOOK kokkosp_begin_parallel_reduce(const char* name, std::uint32_t device,
                                            std::uint64_t* id) {
  begin("reduce", name, device, id);
}
ROOFTUNE_HOOK kokkosp_begin_parallel_scan(const char* name, std::uint32_t device,
                                          std::uint64_t* id) {
  begin("scan", name, device, id);
}
ROOFTUNE_HOOK kokkosp_end_parallel_for(std::uint64_t id) { end(id); }
ROOFTUNE_HOOK kokkosp_end_parallel_reduce(std::uint64_t id) { end(id); }
ROOFTUNE_HOOK kokkosp_end_parallel_scan(std::uint64_t id) { end(id); }

ROOFTUNE_HOOK kokkosp_request_tool_settings(std::uint32_t, tools::Settings* settings) {
  // Times of kernels on a device need it; values from exports do not.
  settings->requires_global_fencing = is_trial() || writes_profile();
}
ROOFTUNE_HOOK kokkosp_begin_context(std::size_t) { tuning().begin_context(); }
ROOFTUNE_HOOK kokkosp_declare_output_type(const char* name, std::size_t id,
                                          tools::Declaration* info) try {
  if (name && info) tuning().declare(id, name, *info);
} catch (...) {
}
ROOFTUNE_HOOK kokkosp_request_values(std::size_t, std::size_t, const tools::Variable*,
                                     std::size_t count, tools::Variable* variables) try {
  tuning().answer(count, variables);
} catch (...) {
}
