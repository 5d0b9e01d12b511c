// The supported GPU runtimes: one row each in the visible table in gpu_runtime.cpp. A runtime's
// parts stand in folders with its name: run/cuda/ (driver), build/cuda/ (compiler), counters/cuda/,
// probe/cuda/ (micro-kernels). All other code asks here.
#pragma once
#include <rooftune/cuda_device.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "build/gpu_compiler.h"
#include "core/callback.h"
#include "core/unique.h"
#include "counters/provider.h"
#include "roofline/launch_time.h"
#include "run/device_bytes.h"
#include "run/message.h"
#include "trial/card_span.h"

namespace rooftune::run {

class ArraySet;
class PtxWalk;

/// A worker's device: a card behind the driver, the emulation, or a plan. One variant is in use at
/// a time, from use() to drop(); launch() names its kernels.
class GpuMachine : public CudaDevice {
 public:
  virtual ~GpuMachine() = default;
  /// Later requests (memory, launches) belong to this task's variant.
  virtual void use(const Task& task) = 0;
  /// The arrays for the next calls, where the device may keep copies of their contents.
  virtual void serve(ArraySet*) {}
  /// While on, outside timed calls, what is on the card already is not uploaded, and an output that
  /// is downloaded whole may stay there, if it is as near to the reference as allowed:
  /// GuardedArray::away. Each serve() switches this off.
  virtual void spare_copies(bool) {}
  /// Seconds spent so far on uploading what stays on the card: no variant's conversion counts them.
  virtual double keeping_seconds() const { return 0; }
  /// Frees the variant's memory and kernels; its host half is gone or will be.
  virtual void drop(const Task&) {}
  /// Waits until everything launched has ended. Throws VariantFault for faults meanwhile.
  virtual void wait() {}
  /// Seconds from the first launch in `calls` until the last has ended, on the device's clock where
  /// it has one.
  virtual double seconds(const Callback& calls) = 0;
  /// Removes the kernel's data from the L2 cache, in order with the launches around it.
  virtual void flush() {}
  /// Describes writes beside an allocation that the current variant made, or empty.
  virtual std::string damage() { return {}; }
  /// What has changed in launching since the first call, as words before a fault; or empty.
  virtual std::string circumstances() const { return {}; }
};

/// As kernels see them.
CudaProperties properties_of(const GpuFacts& facts);
/// Throws VariantFault when no card with these properties could run the launch.
void check_launch(const CudaLaunch& launch, const CudaProperties& properties);

/// Throws Error (ExitCode::unavailable) when the card cannot be used.
std::unique_ptr<GpuMachine> gpu_machine(const GpuSetup& setup);

/// Memory that stands for a card's: as much as the card has, but only what is written takes room
/// here.
class DeviceArrays : Unique {
 public:
  ~DeviceArrays();
  /// All zeros. Where this computer refuses it: an address that at() does not know.
  void* allocate(int64_t bytes);
  void release(void* start) noexcept;
  /// Zeros again.
  void clear(void* start, int64_t bytes);
  /// Outside all arrays the place has no data.
  DevicePlace place(uint64_t address, size_t bytes) const;
  unsigned char* at(uint64_t address, size_t bytes) const { return place(address, bytes).data; }

 private:
  std::map<uint64_t, size_t> bytes_;  ///< by start
  uint64_t refused_ = 0;              ///< bytes so far
};

/// A device that runs nothing: it writes down a variant's launches and what a few of their threads
/// do, to judge configurations without a GPU.
class PlannedGpu final : public GpuMachine {
 public:
  explicit PlannedGpu(const GpuSetup& setup);

  const CudaProperties& properties() const override { return properties_; }
  void* allocate(int64_t bytes) override;
  void release(void* start) noexcept override { arrays_.release(start); }
  void upload(void* to, const void* from, int64_t bytes) override;
  void download(void*, const void*, int64_t) override {}
  void clear(void* start, int64_t bytes) override { arrays_.clear(start, bytes); }
  void launch(const CudaLaunch& launch) override;
  int resident_blocks(const char* kernel, int threads, int64_t shared_bytes) override;
  void prefer_shared(int per_cent) override { carveout_ = per_cent; }

  void use(const Task& task) override;
  double seconds(const Callback&) override { return 0; }

  /// Launches since the last use(); equal ones in a row are one.
  const std::vector<PlannedLaunch>& launches() const { return launches_; }
  /// Launches made while preparing do not count, and nobody follows them.
  void begin_call() {
    launches_.clear();
    in_call_ = true;
  }
  int64_t allocated() const { return allocated_; }
  /// Why no thread was followed; empty: they were.
  const std::string& not_followed() const { return not_followed_; }
  /// Unknown PTX instructions, counted as one each.
  TextSet guessed() const;

 private:
  std::optional<roofline::ThreadWork> followed(const CudaLaunch& launch);
  double l1_bytes(const CudaLaunch& launch, int blocks);

  std::string runtime_;
  GpuFacts facts_;
  CudaProperties properties_;
  ByName<KernelResources> resources_;
  std::vector<PlannedLaunch> launches_;
  int64_t allocated_ = 0;
  int carveout_ = -1;  ///< per cent of shared memory that the variant asks for; -1: what it needs
  bool in_call_ = false;
  DeviceArrays arrays_;
  std::shared_ptr<PtxWalk> walk_;  ///< null: it cannot be followed
  std::string not_followed_;
};

/// A card as its driver describes it.
struct InstalledCard {
  std::string runtime;  ///< a row in gpu_runtimes()
  int index = 0;
  std::string name;  ///< "NVIDIA H200"
  std::string uuid;  ///< "GPU-..." as the vendor's tools print it, "MIG-..." for a slice
  GpuFacts facts;
  int driver = 0;  ///< 13000 for CUDA 13.0
};

struct GpuRuntime {
  const char* name;  ///< also for its back end and its compiler: "cuda"
  /// The version that the driver here supports: 12040 is CUDA 12.4; 0: none starts.
  int (*driver)();
  std::string (*driver_text)(int driver);  ///< "CUDA 12.4"
  /// All visible cards. Throws Error (ExitCode::unavailable) when there is no driver or no card.
  std::vector<InstalledCard> (*cards)();
  /// The card as a device. Throws Error when it does not pass a first small exercise.
  std::unique_ptr<GpuMachine> (*open)(const InstalledCard& card);
  /// Begins to watch the card by its vendor's library; the returned function tells how it fared
  /// since, as often as it is called. nullopt where nobody knows.
  std::function<std::optional<CardSpan>()> (*watch)(const InstalledCard& card) = nullptr;

  const GpuCompilerRow& compiler() const { return gpu_compiler_row(name); }
  /// Whether the first provider that counts on its cards is available.
  Availability counters() const;
};
using GpuRuntimes = std::span<const GpuRuntime>;
GpuRuntimes gpu_runtimes();
/// Throws Error for a name outside the table.
const GpuRuntime& gpu_runtime(const std::string& name);

/// The cards of the first runtime that has any. Throws Error (ExitCode::unavailable) with the
/// reason from the first runtime when none has a card.
std::vector<InstalledCard> installed_cards(GpuRuntimes runtimes = gpu_runtimes());
/// The card with this index or (beginning of a) UUID; empty: the first. Throws Error naming the
/// cards there are.
InstalledCard installed_card(const std::string& index_or_uuid,
                             GpuRuntimes runtimes = gpu_runtimes());

}  // namespace rooftune::run
