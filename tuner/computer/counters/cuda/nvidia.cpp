// The driver's library and its parameters; a device's settings are never touched.
#include "counters/cuda/nvidia.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "core/callback.h"
#include "core/error.h"
#include "core/file.h"
#include "core/list.h"
#include "counters/cuda/cupti.h"
#include "counters/hardware_count.h"
#include "os/paths.h"
#include "os/subprocess.h"

namespace rooftune::counters {

namespace {

constexpr const char* restricted_cure =
    "load the driver with NVreg_RestrictProfilingToAdminUsers=0, or run as root";

/// The CUDA version that the driver supports: 12040 is CUDA 12.4; 0: there is no driver.
int driver_version() {
  try {
    const DynamicLibrary driver = cuda_library();
    int version = 0;
    reinterpret_cast<int (*)(int*)>(driver.symbol("cuDriverGetVersion"))(&version);
    return version;
  } catch (const Error&) {
    return 0;
  }
}

/// Calls the driver by name in the current context; throws Error with its number.
class CurrentContext {
 public:
  CurrentContext() : driver_(cuda_library()) {
    call<cupti::Context*>("cuCtxGetCurrent", &context_);
    if (!context_) throw Error("no CUDA context is current", "CUPTI");
    call<int*>("cuCtxGetDevice", &device_);
  }
  cupti::Context context() const { return context_; }
  size_t device() const { return device_; }
  void wait() const { call<>("cuCtxSynchronize"); }

 private:
  template <class... Arguments>
  void call(const char* name, Arguments... arguments) const {
    using Function = int (*)(Arguments...);
    const int result = reinterpret_cast<Function>(driver_.symbol(name))(arguments...);
    if (result != 0) throw Error(fmt::format("{}: error {}", name, result), "CUPTI");
  }
  DynamicLibrary driver_;
  cupti::Context context_ = nullptr;
  int device_ = 0;
};

/// Counts launches inside their worker.
class CuptiCounter : public CallCounter {
 public:
  Counts count(const Launch& launch) override {
    const auto library = CuptiLibrary::open(driver_version());
    const CurrentContext current;
    const std::string chip = chip_name(*library, current.device());
    const EventSet* set = event_set_of_chip(event_sets(), chip);
    if (!set) throw Error("no event set knows the chip " + chip, "CUPTI");
    const auto once = [&](const Texts& metrics) {
      const auto waited = [&](const Callback& body) {
        return [&] {
          body();
          current.wait();
        };
      };
      return count_range(library, chip, current.context(), metrics, waited(launch.settle),
                         waited(launch.call));
    };
    Counts counts = counts_of(count_metrics(*set, once), "cupti", "CUPTI, " + set->title);
    append(counts.notes, set->traps);
    return counts;
  }
};

/// Whether there is a driver, and whether it permits counting; does not look for CUPTI.
Availability nvidia_availability() {
  try {
    const DynamicLibrary driver = cuda_library();
    using Initialise = int (*)(unsigned);
    const int result = reinterpret_cast<Initialise>(driver.symbol("cuInit"))(0);
    if (result != 0)
      return {false,
              fmt::format("the NVIDIA driver finds no usable GPU (cuInit: error {})", result),
              "compare with nvidia-smi"};
  } catch (const Error& error) {
    return {false, "no NVIDIA driver: " + error.message(), "run where an NVIDIA GPU is"};
  }
  if (profiling_restricted(text_if_readable("/proc/driver/nvidia/params")) && geteuid() != 0)
    return {false, "counting on this GPU is for administrators (RmProfilingAdminOnly: 1)",
            restricted_cure};
  return {true, "an NVIDIA GPU that may be counted on", {}};
}

}  // namespace

std::string cuda_library_name() {
  const std::string chosen = environment_text("ROOFTUNE_LIBCUDA");
  return chosen.empty() ? "libcuda.so.1" : chosen;
}

DynamicLibrary cuda_library() {
  DynamicLibrary driver(cuda_library_name());
  // The driver's threads and exit handlers outlive any use here.
  driver.stay();
  return driver;
}

std::unique_ptr<CallCounter> open_cupti(const CountingPlan&) {
  return std::make_unique<CuptiCounter>();
}

bool profiling_restricted(const std::string& text) {
  const auto at = text.find("RmProfilingAdminOnly:");
  if (at == std::string::npos) return false;
  const auto value =
      text.find_first_not_of(" \t", at + std::string("RmProfilingAdminOnly:").size());
  return value != std::string::npos && text[value] == '1';
}

Availability cupti_availability() {
  try {
    const auto library = CuptiLibrary::open(driver_version());
    const size_t chips = library->chips().size();
    const Availability gpu = nvidia_availability();
    if (!gpu.available)
      return {false,
              fmt::format("{} knows the metrics of {} chips, but {}", library->file().string(),
                          chips, gpu.reason),
              gpu.cure};
    const std::string chip = chip_name(*library, 0);
    if (chip.starts_with("GP") || chip.starts_with("GV"))
      return {false, "CUPTI's range profiler counts from Turing on, the card is a " + chip,
              "Nsight Compute counts on it"};
    if (!event_set_of_chip(event_sets(), chip))
      return {false, "no event set knows the chip " + chip,
              "add its metrics as a file in machines/events"};
    return {true, "CUPTI range profiler on " + chip + " (" + library->file().string() + ")", {}};
  } catch (const Error& error) {
    return {false, error.message(), error.hint()};
  }
}

}  // namespace rooftune::counters
