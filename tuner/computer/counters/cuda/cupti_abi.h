// The part of CUPTI's profiler interface called by Rooftune: own declarations of its C structures,
// so the build needs no CUDA. A test compares them with the toolkit's headers where present.
#pragma once
#include <cstddef>
#include <cstdint>

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
  std::size_t size = 0;
  void* reserved = nullptr;
};

struct HostInitialize : Begin {
  int profiler = 0;  ///< 0: range profiler
  const char* chip = nullptr;
  const std::uint8_t* availability = nullptr;
  HostObject* host = nullptr;  ///< out
};
struct HostDeinitialize : Begin {
  HostObject* host = nullptr;
};
struct SupportedChips : Begin {
  std::size_t count = 0;               ///< out
  const char* const* names = nullptr;  ///< out
};
struct AddMetrics : Begin {
  HostObject* host = nullptr;
  const char** names = nullptr;
  std::size_t count = 0;
};
struct ConfigImageSize : Begin {
  HostObject* host = nullptr;
  std::size_t bytes = 0;  ///< out
};
struct ConfigImage : Begin {
  HostObject* host = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
};
struct NumberOfPasses : Begin {
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
  std::size_t passes = 0;  ///< out
};
struct EvaluateToValues : Begin {
  HostObject* host = nullptr;
  const std::uint8_t* counters = nullptr;
  std::size_t bytes = 0, range = 0;
  const char** names = nullptr;
  std::size_t count = 0;
  double* values = nullptr;
};

struct ProfilerInitialize : Begin {};
struct ChipName : Begin {
  std::size_t device = 0;
  const char* name = nullptr;  ///< out
};
struct CounterAvailability : Begin {
  Context context = nullptr;
  std::size_t bytes = 0;          ///< in and out
  std::uint8_t* image = nullptr;  ///< null: only the size is asked
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
  std::size_t pass = 0, level = 0;  ///< out
  std::uint8_t all_submitted = 0;   ///< out
};
struct RangeDecode : Begin {
  RangeObject* range = nullptr;
  std::size_t dropped = 0;  ///< out
};
struct CounterDataSize : Begin {
  RangeObject* range = nullptr;
  const char** names = nullptr;
  std::size_t count = 0, ranges = 0;
  std::uint32_t nodes = 0;
  std::size_t bytes = 0;  ///< out
};
struct CounterDataInitialize : Begin {
  RangeObject* range = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
};
constexpr int user_range = 2, user_replay = 3;
struct RangeConfig : Begin {
  RangeObject* range = nullptr;
  std::size_t config_bytes = 0;
  const std::uint8_t* config = nullptr;
  std::size_t counter_bytes = 0;
  std::uint8_t* counters = nullptr;
  int kind = 0, replay = 0;
  std::size_t ranges_per_pass = 0;
  std::uint16_t nesting_levels = 0, first_level = 0;
  std::size_t pass = 0;
  std::uint16_t target_level = 0;
};

/// A structure with its size, that up to `last`.
template <class Params, class Member>
Params sized(Member Params::*last, Params params = {}) {
  const auto* begin = reinterpret_cast<const char*>(&params);
  const auto* end = reinterpret_cast<const char*>(&(params.*last)) + sizeof(Member);
  params.size = static_cast<std::size_t>(end - begin);
  return params;
}

}  // namespace rooftune::cupti
