// CUPTI, loaded at run time. It knows a chip's metrics, and the passes that they need, without a
// GPU and without a driver. Its range profiler counts: the same launch is repeated until every pass
// is taken.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/callback.h"
#include "core/list.h"
#include "core/unique.h"
#include "counters/event_set.h"
#include "counters/hardware_count.h"
#include "counters/provider.h"
#include "os/dynamic_library.h"

// The part of CUPTI's profiler interface that Rooftune calls: own declarations of its C structures,
// so the build needs no CUDA. A test compares them with the toolkit's headers where present.
namespace rooftune::cupti {

using Result = int;  ///< 0: success
constexpr Result invalid_parameter = 1;
constexpr Result insufficient_privileges = 35, virtual_insufficient_privileges = 40;
constexpr Result not_compatible = 14, mig_not_supported = 43, invalid_chip_name = 46;

struct HostObject;
struct RangeObject;
using Context = void*;  ///< CUcontext

/// Every structure begins with its size up to and including its last member, and a null.
struct Begin {
  size_t size = 0;
  void* reserved = nullptr;
};

struct HostInitialize : Begin {
  int profiler = 0;  ///< 0: range profiler
  const char* chip = nullptr;
  const uint8_t* availability = nullptr;
  HostObject* host = nullptr;  ///< out
};
struct HostDeinitialize : Begin {
  HostObject* host = nullptr;
};
struct SupportedChips : Begin {
  size_t count = 0;                    ///< out
  const char* const* names = nullptr;  ///< out
};
struct AddMetrics : Begin {
  HostObject* host = nullptr;
  const char** names = nullptr;
  size_t count = 0;
};
struct ConfigImageSize : Begin {
  HostObject* host = nullptr;
  size_t bytes = 0;  ///< out
};
struct ConfigImage : Begin {
  HostObject* host = nullptr;
  size_t bytes = 0;
  uint8_t* image = nullptr;
};
struct NumberOfPasses : Begin {
  size_t bytes = 0;
  uint8_t* image = nullptr;
  size_t passes = 0;  ///< out
};
struct EvaluateToValues : Begin {
  HostObject* host = nullptr;
  const uint8_t* counters = nullptr;
  size_t bytes = 0, range = 0;
  const char** names = nullptr;
  size_t count = 0;
  double* values = nullptr;
};

struct ProfilerInitialize : Begin {};
struct ChipName : Begin {
  size_t device = 0;
  const char* name = nullptr;  ///< out
};
struct CounterAvailability : Begin {
  Context context = nullptr;
  size_t bytes = 0;          ///< in and out
  uint8_t* image = nullptr;  ///< null: only the size is asked
};
struct RangeEnable : Begin {
  Context context = nullptr;
  RangeObject* range = nullptr;  ///< out
};
struct RangeOnly : Begin {  ///< start, pop, disable
  RangeObject* range = nullptr;
};
struct RangePush : Begin {
  RangeObject* range = nullptr;
  const char* name = nullptr;
};
struct RangeStop : Begin {
  RangeObject* range = nullptr;
  size_t pass = 0, level = 0;  ///< out
  uint8_t all_submitted = 0;   ///< out
};
struct RangeDecode : Begin {
  RangeObject* range = nullptr;
  size_t dropped = 0;  ///< out
};
struct CounterDataSize : Begin {
  RangeObject* range = nullptr;
  const char** names = nullptr;
  size_t count = 0, ranges = 0;
  uint32_t nodes = 0;
  size_t bytes = 0;  ///< out
};
struct CounterDataInitialize : Begin {
  RangeObject* range = nullptr;
  size_t bytes = 0;
  uint8_t* image = nullptr;
};
constexpr int user_range = 2, user_replay = 3;
struct RangeConfig : Begin {
  RangeObject* range = nullptr;
  size_t config_bytes = 0;
  const uint8_t* config = nullptr;
  size_t counter_bytes = 0;
  uint8_t* counters = nullptr;
  int kind = user_range, replay = user_replay;
  size_t ranges_per_pass = 1;
  uint16_t nesting_levels = 1, first_level = 1;
  size_t pass = 0;
  uint16_t target_level = 1;
};

/// Sets a structure's size, which counts up to and including `last`.
template <class Params, class Member>
Params sized(Member Params::*last, Params params = {}) {
  const auto* begin = reinterpret_cast<const char*>(&params);
  const auto* end = reinterpret_cast<const char*>(&(params.*last)) + sizeof(Member);
  params.size = end - begin;
  return params;
}

}  // namespace rooftune::cupti

namespace rooftune::counters {

/// libcupti from CUDA 12.6 Update 2 or later.
class CuptiLibrary {
 public:
  /// The first of cupti_candidates() that loads, has the range profiler, and is of no newer major
  /// version than `driver` (12040: CUDA 12.4; 0: any). Throws Error (unavailable) that says what
  /// the last candidate lacked.
  static std::shared_ptr<const CuptiLibrary> open(int driver = 0);
  explicit CuptiLibrary(const fs::path& file);

  const fs::path& file() const { return file_; }
  /// Calls `function` with `params`; throws Error with CUPTI's words when it fails.
  template <class Params>
  void call(const char* function, Params& params) const {
    check(function, result(function, params));
  }
  /// CUPTI's result, for callers that can deal with a failure.
  template <class Params>
  cupti::Result result(const char* function, Params& params) const {
    using Function = cupti::Result (*)(Params*);
    return reinterpret_cast<Function>(library_.symbol(function))(&params);
  }
  /// Throws Error unless `result` is success; missing privileges come with their cure.
  void check(const char* function, cupti::Result result) const;

  /// The CUDA major version that it belongs to.
  int major() const;
  /// Chips with metrics in this CUPTI: "GV100", "GA100", "GH100".
  Texts chips() const;

 private:
  fs::path file_;
  DynamicLibrary library_;
};

/// Where libcupti is looked for, in order: $CUDA_HOME, $CUDA_PATH, /usr/local/cuda (each with
/// lib64, lib and extras/CUPTI/lib64), then the loader's own path.
Paths cupti_candidates();

/// Configures metrics for a chip; needs no such GPU.
class CuptiHost : Unique {
 public:
  /// `availability`: the device's counter availability image; null for an absent chip.
  CuptiHost(std::shared_ptr<const CuptiLibrary> library, const std::string& chip,
            const uint8_t* availability = nullptr);
  ~CuptiHost();

  /// False when the chip lacks any; CUPTI then accepts nothing more.
  bool add(const Texts& metrics);
  /// The profiler's configuration for all metrics added.
  std::vector<uint8_t> image() const;
  /// Launches needed for all metrics added.
  size_t passes() const;
  /// Values of `metrics` in range `range`, from a decoded counter data image.
  Numbers values(const std::vector<uint8_t>& counters, size_t range, const Texts& metrics) const;

 private:
  std::shared_ptr<const CuptiLibrary> library_;
  cupti::HostObject* host_ = nullptr;
};

/// The chip of a device, as CUPTI names it ("GH100"). Needs the driver.
std::string chip_name(const CuptiLibrary& library, size_t device);

/// Values of `metrics` over one launch. `context`: the device's current CUcontext. `launch` starts
/// the kernel and waits for its end; it is called once per pass and must do the same work each
/// time. `settle`, before every pass and not counted, brings the caches to the study's state.
/// Clocks are not touched. Throws Error: missing privileges, MIG, a metric missing on the chip, a
/// dropped range.
Numbers count_range(const std::shared_ptr<const CuptiLibrary>& library, const std::string& chip,
                    cupti::Context context, const Texts& metrics, const Callback& settle,
                    const Callback& launch);

/// Counts metrics, in the order given, over one launch.
using MetricSource = std::function<Numbers(const Texts& metrics)>;
/// The quantities in a chip's event set, counted by `source`: first the metrics without a `when`,
/// then those whose `when` was seen; the others are 0. If a metric's value is nonsense (not finite,
/// negative), its quantities are missing.
HardwareCounts count_metrics(const EventSet& set, const MetricSource& source);

}  // namespace rooftune::counters
