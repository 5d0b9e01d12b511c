// NVML by dlopen; opened once per process.
#include "run/nvml.h"

#include <cstdlib>
#include <memory>

#include "core/error.h"
#include "os/dynamic_library.h"

namespace rooftune::inline run {
namespace {

using Handle = struct OpaqueNvmlDevice*;

constexpr int sm_clock = 1, memory_clock = 2, gpu_sensor = 0;

/// nullptr when there is no NVML.
const DynamicLibrary* library() {
  static const std::unique_ptr<DynamicLibrary> opened = [] {
    std::unique_ptr<DynamicLibrary> result;
    try {
      const char* chosen = std::getenv("ROOFTUNE_NVML");
      result = std::make_unique<DynamicLibrary>(chosen && *chosen ? chosen : "libnvidia-ml.so.1");
      const auto start = reinterpret_cast<int (*)()>(result->find("nvmlInit_v2"));
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

std::optional<CardState> nvml_state(const std::string& uuid) {
  const DynamicLibrary* nvml = library();
  Handle card = nullptr;
  if (!nvml || !ask(*nvml, "nvmlDeviceGetHandleByUUID", uuid.c_str(), &card)) return {};
  CardState state;
  unsigned value = 0;
  if (ask(*nvml, "nvmlDeviceGetClockInfo", card, sm_clock, &value)) state.sm_mhz = value;
  if (ask(*nvml, "nvmlDeviceGetClockInfo", card, memory_clock, &value)) state.memory_mhz = value;
  if (ask(*nvml, "nvmlDeviceGetTemperature", card, gpu_sensor, &value)) state.celsius = value;
  if (ask(*nvml, "nvmlDeviceGetPowerUsage", card, &value)) state.watts = value / 1000.0;
  unsigned long long reasons = 0;
  if (ask(*nvml, "nvmlDeviceGetCurrentClocksThrottleReasons", card, &reasons))
    state.throttled = static_cast<std::int64_t>(reasons);
  return state;
}

}  // namespace rooftune::inline run
