// CUPTI, loaded at run time: metrics of a chip and the passes they need, known without a GPU and
// without a driver; and counting of launches with its range profiler, which repeats the same launch
// until every pass is taken.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "counters/cuda/cupti_abi.h"
#include "counters/hardware_count.h"
#include "os/dynamic_library.h"

namespace rooftune::counters {

/// libcupti of CUDA 12.6 Update 2 or later.
class CuptiLibrary {
 public:
  /// The first loadable one of cupti_candidates() with the range profiler and no newer major
  /// version than `driver` (12040: CUDA 12.4; 0: without regard to a driver). Throws Error
  /// (unavailable) with the attempts made.
  static std::shared_ptr<const CuptiLibrary> open(int driver = 0);
  explicit CuptiLibrary(const std::filesystem::path& file);

  const std::filesystem::path& file() const { return file_; }
  /// Calls `function` with `params`; throws Error with CUPTI's words when it fails.
  template <class Params>
  void call(const char* function, Params& params) const {
    check(function, result(function, params));
  }
  /// CUPTI's result, for callers with a remedy for failures.
  template <class Params>
  cupti::Result result(const char* function, Params& params) const {
    using Function = cupti::Result (*)(Params*);
    return reinterpret_cast<Function>(library_.symbol(function))(&params);
  }
  /// Throws Error unless `result` is success; missing privileges come with their cure.
  void check(const char* function, cupti::Result result) const;

  /// Major version of its CUDA.
  int major() const;
  /// Chips with metrics in this CUPTI: "GV100", "GA100", "GH100".
  std::vector<std::string> chips() const;

 private:
  std::string words(cupti::Result result) const;
  std::filesystem::path file_;
  DynamicLibrary library_;
};

/// Where libcupti is looked for, in order: $CUDA_HOME, $CUDA_PATH, /usr/local/cuda (each with
/// lib64, lib and extras/CUPTI/lib64), then the loader's own path.
std::vector<std::filesystem::path> cupti_candidates();

/// Metrics of one chip in configuration; needs no GPU of that kind.
class CuptiHost {
 public:
  /// `availability`: the device's counter availability image; null for an absent chip.
  CuptiHost(std::shared_ptr<const CuptiLibrary> library, const std::string& chip,
            const std::uint8_t* availability = nullptr);
  ~CuptiHost();
  CuptiHost(const CuptiHost&) = delete;
  CuptiHost& operator=(const CuptiHost&) = delete;

  /// False when the chip lacks one of them; CUPTI then accepts nothing more.
  bool add(const std::vector<std::string>& metrics);
  /// The configuration for the profiler of all metrics added.
  std::vector<std::uint8_t> image() const;
  /// Launches needed for all metrics added.
  std::size_t passes() const;
  /// Values of `metrics` in the range `range` of a decoded counter data image.
  std::vector<double> values(const std::vector<std::uint8_t>& counters, std::size_t range,
                             const std::vector<std::string>& metrics) const;

 private:
  std::shared_ptr<const CuptiLibrary> library_;
  cupti::HostObject* host_ = nullptr;
};

/// The chip of a device, as CUPTI names it ("GH100"). Needs the driver.
std::string chip_name(const CuptiLibrary& library, std::size_t device);

/// Values of `metrics` over one launch. `context`: the current CUcontext of the device. `launch`
/// starts the kernel and waits for its end; it is called once per pass and must do the same work
/// each time. `settle`, before every pass and not counted, brings the caches to the study's state.
/// Clocks are not touched. Throws Error: missing privileges, MIG, a metric missing on the chip, a
/// dropped range.
std::vector<double> count_range(const std::shared_ptr<const CuptiLibrary>& library,
                                const std::string& chip, cupti::Context context,
                                const std::vector<std::string>& metrics,
                                const std::function<void()>& settle,
                                const std::function<void()>& launch);

/// Counts metrics, in the order given, over one launch.
using MetricSource = std::function<std::vector<double>(const std::vector<std::string>& metrics)>;
/// The quantities of a chip's event set from `source`: first the metrics without a `when`, then
/// those with their `when` seen; the others are 0. Nonsense of a metric (not finite, negative)
/// makes its quantities missing.
HardwareCounts count_metrics(const EventSet& set, const MetricSource& source);

}  // namespace rooftune::counters
