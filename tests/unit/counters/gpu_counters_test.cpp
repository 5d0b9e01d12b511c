// CUPTI without a GPU: structures, metric names and pass counts; and what becomes of values.
#include <catch2/catch.hpp>
#include <cmath>

#include "core/error.h"
#include "counters/cuda/cupti.h"
#include "counters/cuda/nvidia.h"

#if __has_include(<cupti_profiler_host.h>) && __has_include(<cupti_range_profiler.h>)
#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#define ROOFTUNE_CUPTI_HEADERS 1
#endif

using namespace rooftune;

namespace {

const std::vector<EventSet>& shipped_sets() {
  static const std::vector<EventSet> sets =
      read_event_sets(std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "machines" / "events");
  return sets;
}

/// Null, with a visible remark, where CUPTI is not installed, and under AddressSanitizer. The tests
/// of the whole run these without it.
std::shared_ptr<const CuptiLibrary> library() {
  try {
    return CuptiLibrary::open();
  } catch (const Error& error) {
    WARN("skipped: " << error.what());
    return nullptr;
  }
}

/// Those of `metrics` missing on the chip, asked one by one.
std::vector<std::string> unknown_metrics(const std::shared_ptr<const CuptiLibrary>& cupti,
                                         const std::string& chip,
                                         const std::vector<std::string>& metrics) {
  std::vector<std::string> unknown;
  auto host = std::make_unique<CuptiHost>(cupti, chip);
  for (const std::string& metric : metrics) {
    if (host->add({metric})) continue;
    unknown.push_back(metric);
    // CUPTI accepts nothing more after a refusal.
    host = std::make_unique<CuptiHost>(cupti, chip);
  }
  return unknown;
}

std::vector<std::string> metrics_of(const EventSet& set, bool with_conditional) {
  std::vector<std::string> names;
  for (const CounterEvent& event : set.events)
    if (with_conditional || event.when.empty()) names.push_back(event.name);
  return names;
}

}  // namespace

TEST_CASE("every metric of every chip is in CUPTI's own database, and takes the passes we say") {
  const auto cupti = library();
  if (!cupti) return;
  const auto known = cupti->chips();
  std::size_t chips = 0;
  for (const EventSet& set : shipped_sets())
    for (const std::string& chip : set.chips) {
      INFO(set.name << " " << chip);
      if (std::count(known.begin(), known.end(), chip) == 0) {
        WARN("skipped: " << cupti->file().string() << " does not know " << chip);
        continue;
      }
      ++chips;
      for (const bool conditional : {false, true}) {
        const auto metrics = metrics_of(set, conditional);
        if (chip == set.chips.front())
          CHECK(unknown_metrics(cupti, chip, metrics) == std::vector<std::string>{});
        CuptiHost host(cupti, chip);
        REQUIRE(host.add(metrics));
        CHECK(host.passes() == static_cast<std::size_t>(set.passes[conditional ? 1 : 0]));
      }
    }
  CHECK(chips > 0);
}

TEST_CASE("wrong metrics and wrong chips are told apart") {
  const auto cupti = library();
  if (!cupti) return;
  // The names as character recognition had spelt them in older documents.
  CHECK(unknown_metrics(cupti, "GA100", {"dram__bytes.sum", "dram_bytes.sum", "Its_t_bytes.sum"}) ==
        std::vector<std::string>{"dram_bytes.sum", "Its_t_bytes.sum"});
  CHECK_THROWS_AS(CuptiHost(cupti, "GX999"), Error);
}

TEST_CASE("a library that is not CUPTI, or none, is refused with a cure") {
  CHECK_THROWS_AS(CuptiLibrary("/no/such/libcupti.so"), Error);
  CHECK_THROWS_WITH(CuptiLibrary("libm.so.6"), Catch::Contains("12.6"));
  CHECK_FALSE(cupti_candidates().empty());
}

TEST_CASE("a driver gets no CUPTI of a newer major version") {
  const auto newest = library();
  if (!newest) return;
  const int driver = 1000 * newest->major();
  CHECK(CuptiLibrary::open(driver)->major() == newest->major());
  try {
    const auto older = CuptiLibrary::open(driver - 1000);
    CHECK(older->major() < newest->major());
  } catch (const Error& error) {
    CHECK_THAT(error.message(), Catch::Contains("needs a newer driver"));
  }
}

#ifdef ROOFTUNE_CUPTI_HEADERS
#define SAME(ours, last, theirs) CHECK(cupti::sized<cupti::ours>(&cupti::ours::last).size == theirs)
#define AT(ours, member, theirs, other) \
  CHECK(offsetof(cupti::ours, member) == offsetof(theirs, other))
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
TEST_CASE("our structures are those of the toolkit's headers") {
  SAME(HostInitialize, host, CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
  SAME(HostDeinitialize, host, CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
  SAME(SupportedChips, names, CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE);
  SAME(AddMetrics, count, CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
  SAME(ConfigImageSize, bytes, CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
  SAME(ConfigImage, image, CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
  SAME(NumberOfPasses, passes, CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE);
  SAME(EvaluateToValues, values, CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
  SAME(ChipName, name, CUpti_Device_GetChipName_Params_STRUCT_SIZE);
  SAME(CounterAvailability, image, CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE);
  SAME(RangeEnable, range, CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
  SAME(RangeOnly, range, CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
  SAME(RangeOnly, range, CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE);
  SAME(RangeOnly, range, CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
  SAME(RangePush, name, CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE);
  SAME(RangeStop, all_submitted, CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
  SAME(RangeDecode, dropped, CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
  SAME(CounterDataSize, bytes, CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
  SAME(CounterDataInitialize, image,
       CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
  SAME(RangeConfig, target_level, CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
  AT(RangeConfig, config, CUpti_RangeProfiler_SetConfig_Params, pConfig);
  AT(RangeConfig, counters, CUpti_RangeProfiler_SetConfig_Params, pCounterDataImage);
  AT(RangeConfig, replay, CUpti_RangeProfiler_SetConfig_Params, replayMode);
  AT(RangeConfig, pass, CUpti_RangeProfiler_SetConfig_Params, passIndex);
  AT(EvaluateToValues, names, CUpti_Profiler_Host_EvaluateToGpuValues_Params, ppMetricNames);
  AT(CounterDataSize, nodes, CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumRangeTreeNodes);
  CHECK(cupti::user_range == CUPTI_UserRange);
  CHECK(cupti::user_replay == CUPTI_UserReplay);
  CHECK(cupti::insufficient_privileges == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
  CHECK(cupti::mig_not_supported == CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED);
  CHECK(cupti::invalid_chip_name == CUPTI_ERROR_INVALID_CHIP_NAME);
}
#pragma GCC diagnostic pop
#else
TEST_CASE("our structures are those of the toolkit's headers") {
  WARN("skipped: the headers of CUPTI are not here to compare with");
}
#endif

TEST_CASE("tensor metrics are asked for only where tensor instructions were seen") {
  const EventSet* set = event_set_of_chip(shipped_sets(), "GH100");
  REQUIRE(set);
  for (const double seen : {0.0, 64.0}) {
    std::size_t calls = 0;
    const HardwareCounts counts = count_metrics(*set, [&](const std::vector<std::string>& metrics) {
      ++calls;
      std::vector<double> values;
      for (const std::string& name : metrics) {
        const bool tensor = name.find("tensor") != std::string::npos;
        values.push_back(tensor ? seen : name.find("_op_d") != std::string::npos ? 10 : 0);
      }
      return values;
    });
    CHECK(calls == (seen > 0 ? 2 : 1));
    CHECK(counts.missing.empty());
    CHECK(counts.quantities.at("flops.fp64").value == 10 + 10 + 2 * 10 + seen);
    CHECK(counts.quantities.at("flops.fp64.fma").value == 20);
    CHECK(counts.quantities.at("flops.fp16.tensor").value == seen);
  }
}

TEST_CASE("nonsense of a metric is named and takes only its quantities with it") {
  const EventSet* set = event_set_of_chip(shipped_sets(), "GA100");
  REQUIRE(set);
  const HardwareCounts counts = count_metrics(*set, [&](const std::vector<std::string>& metrics) {
    std::vector<double> values;
    for (const std::string& name : metrics)
      values.push_back(name == "lts__t_bytes.sum" ? std::nan("") : 0);
    return values;
  });
  CHECK_THAT(counts.missing.at("L2.total"), Catch::Contains("lts__t_bytes.sum"));
  CHECK(counts.quantities.count("L1.total") == 1);
}

TEST_CASE("who may profile is read from the driver's parameters") {
  CHECK(profiling_restricted("ModifyDeviceFiles: 1\nRmProfilingAdminOnly: 1\n"));
  CHECK_FALSE(profiling_restricted("RmProfilingAdminOnly: 0\n"));
  CHECK_FALSE(profiling_restricted(""));
}
