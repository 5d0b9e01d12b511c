// The device half of CUPTI: enable, configure, repeat the launch, decode. The profiler is disabled
// again in any case.
#include "counters/cuda/cupti_range.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"

namespace rooftune::counters {

namespace {

using namespace cupti;

/// The range profiler of a context, disabled when it goes.
class RangeProfiler {
 public:
  RangeProfiler(const CuptiLibrary& library, Context context) : library_(library) {
    auto params = sized<RangeEnable>(&RangeEnable::range);
    params.context = context;
    library_.call("cuptiRangeProfilerEnable", params);
    range_ = params.range;
  }
  ~RangeProfiler() {
    auto params = only();
    library_.result("cuptiRangeProfilerDisable", params);
  }
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  std::vector<std::uint8_t> counter_image(const std::vector<std::string>& metrics) const {
    auto wanted = pointers(metrics);
    auto size = sized<CounterDataSize>(&CounterDataSize::bytes);
    size.range = range_;
    size.names = wanted.data();
    size.count = wanted.size();
    size.ranges = 1;
    size.nodes = 1;
    library_.call("cuptiRangeProfilerGetCounterDataSize", size);
    std::vector<std::uint8_t> image(size.bytes);
    auto params = sized<CounterDataInitialize>(&CounterDataInitialize::image);
    params.range = range_;
    params.bytes = image.size();
    params.image = image.data();
    library_.call("cuptiRangeProfilerCounterDataImageInitialize", params);
    return image;
  }
  void configure(const std::vector<std::uint8_t>& config, std::vector<std::uint8_t>& counters) {
    auto params = sized<RangeConfig>(&RangeConfig::target_level);
    params.range = range_;
    params.config_bytes = config.size();
    params.config = config.data();
    params.counter_bytes = counters.size();
    params.counters = counters.data();
    params.kind = user_range;
    params.replay = user_replay;
    params.ranges_per_pass = 1;
    params.nesting_levels = 1;
    params.first_level = 1;
    params.target_level = 1;
    library_.call("cuptiRangeProfilerSetConfig", params);
  }
  /// One pass; true when it was the last.
  bool pass(const std::function<void()>& launch) {
    auto params = only();
    library_.call("cuptiRangeProfilerStart", params);
    auto push = sized<RangePush>(&RangePush::name);
    push.range = range_;
    push.name = "launch";
    library_.call("cuptiRangeProfilerPushRange", push);
    launch();
    library_.call("cuptiRangeProfilerPopRange", params);
    auto stop = sized<RangeStop>(&RangeStop::all_submitted);
    stop.range = range_;
    library_.call("cuptiRangeProfilerStop", stop);
    return stop.all_submitted != 0;
  }
  void decode() {
    auto params = sized<RangeDecode>(&RangeDecode::dropped);
    params.range = range_;
    library_.call("cuptiRangeProfilerDecodeData", params);
    if (params.dropped > 0)
      throw Error("the range profiler dropped the launch", library_.file().string());
  }

 private:
  RangeOnly only() const {
    auto params = sized<RangeOnly>(&RangeOnly::range);
    params.range = range_;
    return params;
  }
  const CuptiLibrary& library_;
  RangeObject* range_ = nullptr;
};

/// Availability of the device's counters now (MIG and other profilers take some).
std::vector<std::uint8_t> availability(const CuptiLibrary& library, Context context) {
  auto params = sized<CounterAvailability>(&CounterAvailability::image);
  params.context = context;
  library.call("cuptiProfilerGetCounterAvailability", params);
  std::vector<std::uint8_t> image(params.bytes);
  params.image = image.data();
  library.call("cuptiProfilerGetCounterAvailability", params);
  return image;
}

void initialise(const CuptiLibrary& library) {
  auto params = sized<ProfilerInitialize, void*>(&ProfilerInitialize::reserved);
  library.call("cuptiProfilerInitialize", params);
}

/// Counts some events into `counts`; an impossible value is refused by name.
void count_some(const std::vector<const CounterEvent*>& events, const MetricSource& source,
                EventCounts& counts) {
  if (events.empty()) return;
  std::vector<std::string> metrics;
  for (const CounterEvent* event : events) metrics.push_back(event->name);
  const std::vector<double> values = source(metrics);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const double value = i < values.size() ? values[i] : std::nan("");
    if (std::isfinite(value) && value >= 0)
      counts.totals[events[i]->id] = {Estimate::exact(value), 1};
    else if (std::isnan(value))
      counts.refused[events[i]->id] = events[i]->name + " was not collected";
    else
      counts.impossible.push_back(counts.refused[events[i]->id] =
                                      fmt::format("{} = {}: nonsense", events[i]->name, value));
  }
}

}  // namespace

std::string chip_name(const CuptiLibrary& library, std::size_t device) {
  initialise(library);
  auto params = sized<ChipName>(&ChipName::name);
  params.device = device;
  library.call("cuptiDeviceGetChipName", params);
  return params.name ? params.name : "";
}

std::vector<double> count_range(const std::shared_ptr<const CuptiLibrary>& library,
                                const std::string& chip, Context context,
                                const std::vector<std::string>& metrics,
                                const std::function<void()>& settle,
                                const std::function<void()>& launch) {
  initialise(*library);
  const std::vector<std::uint8_t> available = availability(*library, context);
  CuptiHost host(library, chip, available.data());
  if (!host.add(metrics))
    throw Error(chip + " lacks one of the metrics", library->file().string(),
                "tune list counters names the metrics that it has");
  const std::vector<std::uint8_t> config = host.image();
  // Twice the passes announced by CUPTI: an endless loop would hang the worker.
  const std::size_t most = 2 * host.passes() + 2;
  RangeProfiler profiler(*library, context);
  std::vector<std::uint8_t> counters = profiler.counter_image(metrics);
  profiler.configure(config, counters);
  std::size_t done = 0;
  const auto settled_pass = [&] {
    settle();
    return profiler.pass(launch);
  };
  while (!settled_pass())
    if (++done > most)
      throw Error(fmt::format("the profiler wants more than {} passes", most),
                  library->file().string());
  profiler.decode();
  return host.values(counters, 0, metrics);
}

HardwareCounts count_metrics(const EventSet& set, const MetricSource& source) {
  EventCounts counts;
  std::vector<const CounterEvent*> first, second;
  for (const CounterEvent& event : set.events)
    if (event.when.empty()) first.push_back(&event);
  count_some(first, source, counts);
  for (const CounterEvent& event : set.events) {
    if (event.when.empty()) continue;
    const auto seen = counts.totals.find(event.when);
    if (seen != counts.totals.end() && seen->second.count.value == 0)
      counts.totals[event.id] = {Estimate::exact(0), 1};
    else
      second.push_back(&event);
  }
  count_some(second, source, counts);
  return evaluated(set, counts);
}

}  // namespace rooftune::counters
