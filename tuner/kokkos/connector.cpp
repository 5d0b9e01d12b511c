// librooftune_kokkos.so: which kernels of an unmodified Kokkos application take its time. Kokkos
// loads it (KOKKOS_TOOLS_LIBS; KOKKOS_PROFILE_LIBRARY before 3.7) and calls these functions around
// every dispatch. At the end it writes a profile, which `tune kokkos` reads, and says where.
//
// Needs nothing of Kokkos: the interface is C and the same since 3.0. No exception leaves it: an
// application must not end because somebody watches it.
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

namespace {

using Clock = std::chrono::steady_clock;

struct Kernel {
  std::string name;
  const char* pattern;  ///< "for", "reduce", "scan"
  std::uint32_t device;
  bool operator<(const Kernel& other) const {
    if (name != other.name) return name < other.name;
    if (pattern != other.pattern) return std::string(pattern) < other.pattern;
    return device < other.device;
  }
};

struct Total {
  std::uint64_t calls = 0;
  double seconds = 0, least = 0;
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

/// Kinds of devices as Kokkos numbers them, in the upper eight bits.
const char* device_name(std::uint32_t device) {
  constexpr const char* names[] = {"Serial", "OpenMP",  "Cuda", "HIP",    "OpenMPTarget",
                                   "HPX",    "Threads", "SYCL", "OpenACC"};
  const std::uint32_t kind = device >> 24;
  return kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

void begin(const char* pattern, const char* name, std::uint32_t device, std::uint64_t* id) try {
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
  Profile& all = profile();
  const std::lock_guard lock(all.mutex);
  const auto running = all.running.find(id);
  if (running == all.running.end()) return;
  Total& total = all.kernels[*running->second.kernel];
  const double seconds = std::chrono::duration<double>(now - running->second.begin).count();
  total.least = total.calls == 0 || seconds < total.least ? seconds : total.least;
  total.seconds += seconds;
  ++total.calls;
  all.running.erase(running);
} catch (...) {
}

/// A string literal of JSON. Labels are the application's: any bytes.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", byte);
      result += escape;
    } else {
      result += c;
    }
  }
  return result + '"';
}

/// One file for each rank of MPI.
std::string file_name() {
  const char* const chosen = std::getenv("ROOFTUNE_KOKKOS_PROFILE");
  std::string name = chosen && *chosen ? chosen : "rooftune-kokkos.json";
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (const char* const rank = std::getenv(variable); rank && *rank) return name + "." + rank;
  return name;
}

std::string document(const Profile& all) {
  char number[64];
  const auto seconds = [&](double value) {
    std::snprintf(number, sizeof number, "%.9g", value);
    return std::string(number);
  };
  std::string text =
      "{\"schema\": \"rooftune-kokkos-1\", \"kokkos\": " + quoted(all.version) +
      ", \"seconds\": " + seconds(std::chrono::duration<double>(Clock::now() - all.begin).count()) +
      ",\n \"kernels\": [";
  const char* between = "\n";
  for (const auto& [kernel, total] : all.kernels) {
    if (total.calls == 0) continue;
    text += between;
    between = ",\n";
    text += "  {\"name\": " + quoted(kernel.name) + ", \"pattern\": \"" + kernel.pattern +
            "\", \"device\": \"" + device_name(kernel.device) +
            "\", \"calls\": " + std::to_string(total.calls) +
            ", \"seconds\": " + seconds(total.seconds) + ", \"least\": " + seconds(total.least) +
            "}";
  }
  return text + "\n]}\n";
}

/// Beside the target and renamed, so that nobody reads half of it.
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

}  // namespace

#define ROOFTUNE_HOOK extern "C" __attribute__((visibility("default"))) void

ROOFTUNE_HOOK kokkosp_init_library(int, std::uint64_t, std::uint32_t, void*) {
  profile().begin = Clock::now();
}
ROOFTUNE_HOOK kokkosp_declare_metadata(const char* name, const char* value) try {
  if (std::string(name) == "Kokkos Version") profile().version = value;
} catch (...) {
}
ROOFTUNE_HOOK kokkosp_finalize_library() try {
  Profile& all = profile();
  const std::lock_guard lock(all.mutex);
  write(file_name(), document(all));
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
