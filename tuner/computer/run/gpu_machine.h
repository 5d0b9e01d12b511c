// The device of a worker: a card behind the driver, the emulation, or a plan. One variant is in use
// at a time, from use() to drop(); launch() names its kernels.
#pragma once
#include <rooftune/cuda_device.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "run/message.h"

namespace rooftune::run {

/// Room of a card's L2 cache for persisting data: most bytes set aside, and most covered by a
/// window; 0 where unsupported.
struct L2Limits {
  std::int64_t set_aside = 0, window = 0;
};

/// How long calls run while a card is asked about itself.
struct Watch {
  double least_seconds = 0.25, most_seconds = 0.25;
  int updates = 0;  ///< of its counter of energy, enough after `least_seconds`
};

class GpuMachine : public CudaDevice {
 public:
  virtual ~GpuMachine() = default;
  /// Later requests (memory, launches) belong to the variant of this task.
  virtual void use(const Task& task) = 0;
  /// Frees the variant's memory and kernels; its host half is gone or will be.
  virtual void drop(const Task& task) = 0;
  /// Waits for the end of everything launched. Throws VariantFault for faults meanwhile.
  virtual void wait() = 0;
  /// Seconds from the first launch in `calls` to the end of the last, on the device's clock where
  /// it has one.
  virtual double seconds(const std::function<void()>& calls) = 0;
  /// Decides how calls of the variant in use, of about so long [s], are launched from now on: one
  /// by one, or all launches of a call at once where faster.
  virtual void choose_launching(const std::function<void()>& call, double call_seconds) {
    (void)call, (void)call_seconds;
  }
  /// Before the variant in use prepares: the choice stands, the launches may change.
  virtual void forget_launches() {}
  /// Launches `repeats` calls as was chosen, without waiting for them.
  virtual void repeat(const std::function<void()>& call, int repeats) {
    for (int i = 0; i < repeats; ++i) call();
  }
  /// Empties the L2 cache of the kernel's data, in the order of the launches around it.
  virtual void flush() = 0;
  /// Describes writes beside an allocation of the variant in use, or empty.
  virtual std::string damage() = 0;
  /// A change in launching since the first call, as a prefix of a fault; or empty.
  virtual std::string circumstances() const { return {}; }
  /// Begins or ends the range of a profiler around this process.
  virtual void profile(bool begins) { (void)begins; }
  /// Clock rates, temperature and power now, where there is a sensor.
  virtual std::optional<CardState> state() { return {}; }
  /// Launching of the variant in use, and the card's state while calls of about so long [s] run
  /// back to back.
  virtual std::optional<CardState> state_during(const std::function<void()>& call,
                                                double call_seconds, const Watch& watch) {
    (void)call, (void)call_seconds, (void)watch;
    return {};
  }
};

/// Properties of the card shown by a plan or an emulation.
CudaProperties properties_of(const GpuSetup& setup);
/// Throws VariantFault when no card of these properties could run the launch.
void check_launch(const CudaLaunch& launch, const CudaProperties& properties);

/// Throws Error (ExitCode::unavailable) when the card cannot be used.
std::unique_ptr<GpuMachine> gpu_machine(const GpuSetup& setup);

}  // namespace rooftune::run
