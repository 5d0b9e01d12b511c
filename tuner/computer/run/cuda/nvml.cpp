// NVML by dlopen; opened once per process.
#include "run/cuda/nvml.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <vector>

#include "core/error.h"
#include "os/dynamic_library.h"

namespace rooftune::run {
namespace {

constexpr int sm_clock = 1, memory_clock = 2, gpu_sensor = 0;
/// nvmlClocksThrottleReasonGpuIdle.
constexpr unsigned long long gpu_idle = 1;

/// nvmlProcessInfo_t since CUDA 11.
struct ComputeProcess {
  unsigned pid = 0;
  unsigned long long memory_bytes = 0;
  unsigned instance = 0, compute_instance = 0;
};

/// This worker, or another of the same parent.
bool is_of_this_program(unsigned pid) {
  if (static_cast<pid_t>(pid) == getpid()) return true;
  // "PID (name) state parent ...", and the name may hold anything.
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(stat), {}};
  std::istringstream rest(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  char state = 0;
  pid_t parent = 0;
  return rest >> state >> parent && parent == getppid();
}

/// nullptr when there is no NVML.
const DynamicLibrary* nvml_library() {
  static const std::unique_ptr<DynamicLibrary> opened = [] {
    std::unique_ptr<DynamicLibrary> result;
    try {
      const char* chosen = std::getenv("ROOFTUNE_NVML");
      result = std::make_unique<DynamicLibrary>(chosen && *chosen ? chosen : "libnvidia-ml.so.1");
      const auto start = reinterpret_cast<int (*)()>(result->find("nvmlInit_v2"));
      // Its threads may outlive any use here.
      result->stay();
      if (!start || start() != 0) result.reset();
    } catch (const Error&) {
      result.reset();
    }
    return result;
  }();
  return opened.get();
}

template <class... Arguments>
bool ask(const DynamicLibrary& nvml, const char* name, Arguments... arguments) {
  const auto function = reinterpret_cast<int (*)(Arguments...)>(nvml.find(name));
  return function && function(arguments...) == 0;
}

}  // namespace

std::optional<Nvml> Nvml::of(const std::string& uuid) {
  const DynamicLibrary* nvml = nvml_library();
  void* card = nullptr;
  if (!nvml || !ask(*nvml, "nvmlDeviceGetHandleByUUID", uuid.c_str(), &card)) return {};
  return Nvml(card);
}

CardState Nvml::state() const {
  const DynamicLibrary& nvml = *nvml_library();
  CardState state;
  unsigned value = 0;
  if (ask(nvml, "nvmlDeviceGetClockInfo", card_, sm_clock, &value)) state.sm_mhz = value;
  if (ask(nvml, "nvmlDeviceGetClockInfo", card_, memory_clock, &value)) state.memory_mhz = value;
  if (ask(nvml, "nvmlDeviceGetTemperature", card_, gpu_sensor, &value)) state.celsius = value;
  if (ask(nvml, "nvmlDeviceGetPowerUsage", card_, &value)) state.watts = value / 1000.0;
  unsigned long long reasons = 0;
  if (ask(nvml, "nvmlDeviceGetCurrentClocksThrottleReasons", card_, &reasons))
    state.throttled = static_cast<std::int64_t>(reasons & ~gpu_idle);
  return state;
}

int Nvml::others() const {
  const DynamicLibrary& nvml = *nvml_library();
  std::vector<ComputeProcess> all(64);
  auto count = static_cast<unsigned>(all.size());
  if (!ask(nvml, "nvmlDeviceGetComputeRunningProcesses_v3", card_, &count, all.data()) &&
      !ask(nvml, "nvmlDeviceGetComputeRunningProcesses_v2", card_, &count, all.data()))
    return 0;
  all.resize(std::min<std::size_t>(count, all.size()));
  const auto of_this_program = [](const ComputeProcess& one) {
    return is_of_this_program(one.pid);
  };
  const auto own = std::count_if(all.begin(), all.end(), of_this_program);
  // In a container the numbers are those of the host: one of them is this process.
  return static_cast<int>(all.size()) - std::max(1, static_cast<int>(own));
}

}  // namespace rooftune::run
