// NVML by dlopen: $ROOFTUNE_NVML, else libnvidia-ml.so.1. A function may be missing, or refuse
// (with 3 where the card cannot tell, or for a missing permission): then its figure is not known.
#include "run/cuda/nvml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/list.h"
#include "core/seconds_since.h"
#include "os/dynamic_library.h"
#include "os/paths.h"
#include "os/process_tree.h"

namespace rooftune::run {
namespace {

/// For each brake its name in CardSpan, its bits in nvmlClocksEventReasons and its counter in
/// nvmlPerfPolicyType_t.
struct Brake {
  const char* name;
  unsigned long long bits;
  int counter;  ///< below 0: none
};
constexpr Brake brakes[] = {
    {"power", 0x4, 0}, {"heat", 0x20 | 0x40, 1}, {"hardware", 0x8 | 0x80, -1}};

/// nvmlProcessInfo_t since CUDA 11.
struct ComputeProcess {
  unsigned pid = 0;
  unsigned long long memory_bytes = 0;
  unsigned instance = 0, compute_instance = 0;
};
/// nvmlViolationTime_t.
struct HeldDown {
  unsigned long long asked_at = 0;     ///< [us]
  unsigned long long nanoseconds = 0;  ///< since the driver was loaded
};

/// "python (pid 71)", or without a name where that is hidden.
std::string process_text(pid_t pid) {
  const std::string name = os::process_name(pid);
  return name.empty() ? fmt::format("pid {}", pid) : fmt::format("{} (pid {})", name, pid);
}

std::string library_name() {
  const std::string chosen = environment_text("ROOFTUNE_NVML");
  return chosen.empty() ? "libnvidia-ml.so.1" : chosen;
}

class Nvml {
 public:
  /// Throws Error without the library, and where the library does not know the card.
  explicit Nvml(const std::string& uuid) : library_(library_name()) {
    // Its threads may outlive any use here.
    library_.stay();
    if (!ask("nvmlInit_v2") || !ask("nvmlDeviceGetHandleByUUID", uuid.c_str(), &device_))
      throw Error("NVML does not know " + uuid);
    // A slice has its own processes, and no clock.
    if (!ask("nvmlDeviceGetDeviceHandleFromMigDeviceHandle", device_, &card_)) card_ = device_;
    for (const Brake& brake : brakes)
      if (const auto now = held(brake.counter)) held_before_[brake.counter] = *now;
    begin_ = SteadyClock::now();
    add_others();
  }

  CardSpan span() {
    CardSpan span;
    span.clock = clock("nvmlDeviceGetClockInfo");
    span.most_clock = clock("nvmlDeviceGetMaxClockInfo");
    unsigned long long reasons = 0;
    // A call that refuses may have written all the same.
    if (!ask("nvmlDeviceGetCurrentClocksThrottleReasons", card_, &reasons)) reasons = 0;
    for (const Brake& brake : brakes) {
      if (reasons & brake.bits) span.slowing.push_back(brake.name);
      const auto before = copy_at(held_before_, brake.counter), now = held(brake.counter);
      if (!before || !now) continue;
      // A counter that was reset tells nothing.
      const double share = (*now - *before) / seconds_since(begin_);
      if (share > 0 && share < 1.1) span.slowed[brake.name] = share;
    }
    add_others();
    for (const auto& [pid, text] : others_) span.others.push_back(text);
    return span;
  }

 private:
  template <class... Arguments>
  bool ask(const char* name, Arguments... arguments) const {
    const auto function = reinterpret_cast<int (*)(Arguments...)>(library_.find(name));
    return function && function(arguments...) == 0;
  }

  /// The multiprocessors' clock [Hz]; nullopt for what no card has.
  std::optional<double> clock(const char* question) const {
    constexpr int of_multiprocessors = 1;
    constexpr unsigned most = 10'000;
    unsigned megahertz = 0;
    if (!ask(question, card_, of_multiprocessors, &megahertz) || megahertz < 1 || megahertz > most)
      return std::nullopt;
    return 1e6 * megahertz;
  }

  /// For how long the clock was kept down, since the driver was loaded [s].
  std::optional<double> held(int counter) const {
    HeldDown time;
    if (counter < 0 || !ask("nvmlDeviceGetViolationStatus", card_, counter, &time))
      return std::nullopt;
    return 1e-9 * double(time.nanoseconds);
  }

  /// Adds the processes at work on the card now. In a container NVML may number others as the host
  /// does: a number without a process here counts for nobody.
  void add_others() {
    std::vector<ComputeProcess> all(256);
    auto count = unsigned(all.size());
    if (!ask("nvmlDeviceGetComputeRunningProcesses_v3", device_, &count, all.data()) &&
        !ask("nvmlDeviceGetComputeRunningProcesses_v2", device_, &count, all.data()))
      return;
    const PidSet own = os::own_processes();
    all.resize(std::min<size_t>(count, all.size()));
    for (const ComputeProcess& one : all) {
      const auto pid = pid_t(one.pid);
      if (pid > 0 && !own.contains(pid) && (kill(pid, 0) == 0 || errno == EPERM))
        others_.try_emplace(pid, process_text(pid));
    }
  }

  os::DynamicLibrary library_;
  void* device_ = nullptr;  ///< a card, or a slice
  void* card_ = nullptr;
  SteadyClock::time_point begin_;
  std::map<int, double> held_before_;  ///< by counter [s]
  std::map<pid_t, std::string> others_;
};

}  // namespace

std::function<std::optional<CardSpan>()> watch_cuda_card(const InstalledCard& card) {
  try {
    return [nvml = std::make_shared<Nvml>(card.uuid)] { return std::optional(nvml->span()); };
  } catch (const Error&) {
    return [] { return std::optional<CardSpan>(); };
  }
}

}  // namespace rooftune::run
