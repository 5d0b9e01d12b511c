// Loads libcupti and calls its host half and its device half: enable, configure, repeat the launch,
// decode. libcupti opens libnvperf_host.so by its bare name, so the one beside libcupti is loaded
// first. The profiler is disabled again in any case.
#include "counters/cuda/cupti.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "core/callback.h"
#include "core/error.h"
#include "core/list.h"
#include "core/unique.h"
#include "os/paths.h"

namespace rooftune::counters {
namespace {

using namespace cupti;

constexpr const char* restricted =
    "counting on this GPU is for administrators: load the driver with "
    "NVreg_RestrictProfilingToAdminUsers=0, or give tune CAP_SYS_ADMIN";
const char* const library_names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};

/// Pointers into `names`, as CUPTI wants them.
std::vector<const char*> pointers(const Texts& names) {
  std::vector<const char*> all;
  for (const std::string& name : names) all.push_back(name.c_str());
  return all;
}

/// A context's range profiler, disabled when it goes.
class RangeProfiler : Unique {
 public:
  RangeProfiler(const CuptiLibrary& library, Context context) : library_(library) {
    auto params = sized(&RangeEnable::range, {{}, context});
    library_.call("cuptiRangeProfilerEnable", params);
    range_ = params.range;
  }
  ~RangeProfiler() {
    auto params = only();
    library_.result("cuptiRangeProfilerDisable", params);
  }

  std::vector<uint8_t> counter_image(const Texts& metrics) const {
    auto wanted = pointers(metrics);
    auto size = sized(&CounterDataSize::bytes, {{}, range_, wanted.data(), wanted.size(), 1, 1});
    library_.call("cuptiRangeProfilerGetCounterDataSize", size);
    std::vector<uint8_t> image(size.bytes);
    auto params = sized(&CounterDataInitialize::image, {{}, range_, image.size(), image.data()});
    library_.call("cuptiRangeProfilerCounterDataImageInitialize", params);
    return image;
  }
  void configure(const std::vector<uint8_t>& config, std::vector<uint8_t>& counters) {
    auto params =
        sized(&RangeConfig::target_level,
              {{}, range_, config.size(), config.data(), counters.size(), counters.data()});
    library_.call("cuptiRangeProfilerSetConfig", params);
  }
  /// One pass; true when it was the last.
  bool pass(const Callback& launch) {
    auto params = only();
    library_.call("cuptiRangeProfilerStart", params);
    auto push = sized(&RangePush::name, {{}, range_, "launch"});
    library_.call("cuptiRangeProfilerPushRange", push);
    launch();
    library_.call("cuptiRangeProfilerPopRange", params);
    auto stop = sized(&RangeStop::all_submitted, {{}, range_});
    library_.call("cuptiRangeProfilerStop", stop);
    return stop.all_submitted != 0;
  }
  void decode() {
    auto params = sized(&RangeDecode::dropped, {{}, range_});
    library_.call("cuptiRangeProfilerDecodeData", params);
    if (params.dropped > 0) throw Error("the range profiler dropped the launch", library_.file());
  }

 private:
  RangeOnly only() const { return sized(&RangeOnly::range, {{}, range_}); }
  const CuptiLibrary& library_;
  RangeObject* range_ = nullptr;
};

/// Which of the device's counters are available now (MIG and other profilers take some).
std::vector<uint8_t> availability(const CuptiLibrary& library, Context context) {
  auto params = sized(&CounterAvailability::image, {{}, context});
  library.call("cuptiProfilerGetCounterAvailability", params);
  std::vector<uint8_t> image(params.bytes);
  params.image = image.data();
  library.call("cuptiProfilerGetCounterAvailability", params);
  return image;
}

void initialise(const CuptiLibrary& library) {
  auto params = sized<ProfilerInitialize, void*>(&ProfilerInitialize::reserved);
  library.call("cuptiProfilerInitialize", params);
}

/// Counts some events into `counts`; refuses an impossible value by name.
void count_some(const std::vector<const CounterEvent*>& events, const MetricSource& source,
                EventCounts& counts) {
  if (events.empty()) return;
  Texts metrics;
  for (const CounterEvent* event : events) metrics.push_back(event->name);
  const Numbers values = source(metrics);
  for (const size_t i : indices(events)) {
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

Paths cupti_candidates() {
  Paths roots, files;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const fs::path root = environment_text(variable); !root.empty()) roots.push_back(root);
  roots.emplace_back("/usr/local/cuda");
  for (const auto& root : roots)
    for (const char* folder : {"lib64", "lib", "extras/CUPTI/lib64"})
      for (const char* name : library_names) files.push_back(root / folder / name);
  for (const char* name : library_names) files.emplace_back(name);
  return files;
}

CuptiLibrary::CuptiLibrary(const fs::path& file)
    : file_(file), library_((load_beside(file, "libnvperf_host.so"), file)) {
  for (const char* function : {"cuptiProfilerHostInitialize", "cuptiRangeProfilerEnable"})
    if (!library_.find(function))
      throw Unavailable(fmt::format("this CUPTI has no function {}", function), file,
                        "CUDA 12.6 Update 2 or later has it");
  library_.stay();
}

int CuptiLibrary::major() const {
  using Function = Result (*)(uint32_t*);
  uint32_t version = 0;
  if (void* const symbol = library_.find("cuptiGetVersion"))
    reinterpret_cast<Function>(symbol)(&version);
  // Until CUDA 12 the numbers counted interfaces: 24 is CUDA 12.6, the first with everything
  // needed.
  return version < 10000 ? 12 : int(version / 10000);
}

std::shared_ptr<const CuptiLibrary> CuptiLibrary::open(int driver) {
#ifdef __SANITIZE_ADDRESS__
  // CUPTI loads its other half with RTLD_DEEPBIND, at which the sanitizer ends the process.
  throw Unavailable("CUPTI does not load under AddressSanitizer", "CUPTI", "build without it");
#endif
  std::string last = "no libcupti in $CUDA_HOME, $CUDA_PATH, /usr/local/cuda or the loader's path";
  for (const auto& file : cupti_candidates()) {
    const bool located = file.has_parent_path();
    std::error_code error;
    if (located && !fs::exists(file, error)) continue;
    try {
      auto library = std::make_shared<const CuptiLibrary>(file);
      if (driver == 0 || library->major() <= driver / 1000) return library;
      last = fmt::format("CUPTI of CUDA {} needs a newer driver than that of CUDA {} ({})",
                         library->major(), driver / 1000, file.string());
    } catch (const Error& fault) {
      if (located) last = fault.message() + " (" + file.string() + ")";
    }
  }
  throw Unavailable(
      last, "CUPTI",
      "install the CUDA toolkit 12.6 Update 2 or later of the driver's major version, or set "
      "CUDA_HOME");
}

void CuptiLibrary::check(const char* function, Result result) const {
  if (result == 0) return;
  static const std::map<Result, const char*> cures{
      {insufficient_privileges, restricted},
      {virtual_insufficient_privileges, restricted},
      {mig_not_supported, "count on a whole GPU: this one is a MIG slice"},
      {invalid_chip_name, "this CUPTI does not know the chip: use a newer CUDA toolkit"}};
  using Function = Result (*)(Result, const char**);
  const char* words = nullptr;
  if (void* symbol = library_.find("cuptiGetResultString"))
    reinterpret_cast<Function>(symbol)(result, &words);
  throw Unavailable(fmt::format("{}: {} ({})", function, words ? words : "error", result), file_,
                    cures.contains(result) ? cures.at(result) : "");
}

Texts CuptiLibrary::chips() const {
  auto params = sized(&SupportedChips::names);
  call("cuptiProfilerHostGetSupportedChips", params);
  return {params.names, params.names + params.count};
}

CuptiHost::CuptiHost(std::shared_ptr<const CuptiLibrary> library, const std::string& chip,
                     const uint8_t* availability)
    : library_(std::move(library)) {
  auto params = sized(&HostInitialize::host, {{}, 0, chip.c_str(), availability});
  library_->call("cuptiProfilerHostInitialize", params);
  host_ = params.host;
}

CuptiHost::~CuptiHost() {
  auto params = sized(&HostDeinitialize::host, {{}, host_});
  library_->result("cuptiProfilerHostDeinitialize", params);
}

bool CuptiHost::add(const Texts& metrics) {
  auto wanted = pointers(metrics);
  auto params = sized(&AddMetrics::count, {{}, host_, wanted.data(), wanted.size()});
  const Result result = library_->result("cuptiProfilerHostConfigAddMetrics", params);
  if (result == invalid_parameter) return false;
  library_->check("cuptiProfilerHostConfigAddMetrics", result);
  return true;
}

std::vector<uint8_t> CuptiHost::image() const {
  auto size = sized(&ConfigImageSize::bytes, {{}, host_});
  library_->call("cuptiProfilerHostGetConfigImageSize", size);
  std::vector<uint8_t> bytes(size.bytes);
  auto params = sized(&ConfigImage::image, {{}, host_, bytes.size(), bytes.data()});
  library_->call("cuptiProfilerHostGetConfigImage", params);
  return bytes;
}

size_t CuptiHost::passes() const {
  std::vector<uint8_t> bytes = image();
  auto params = sized(&NumberOfPasses::passes, {{}, bytes.size(), bytes.data()});
  library_->call("cuptiProfilerHostGetNumOfPasses", params);
  return params.passes;
}

Numbers CuptiHost::values(const std::vector<uint8_t>& counters, size_t range,
                          const Texts& metrics) const {
  Numbers amounts(metrics.size());
  auto wanted = pointers(metrics);
  auto params = sized(&EvaluateToValues::values, {{},
                                                  host_,
                                                  counters.data(),
                                                  counters.size(),
                                                  range,
                                                  wanted.data(),
                                                  wanted.size(),
                                                  amounts.data()});
  library_->call("cuptiProfilerHostEvaluateToGpuValues", params);
  return amounts;
}

std::string chip_name(const CuptiLibrary& library, size_t device) {
  initialise(library);
  auto params = sized(&ChipName::name, {{}, device});
  library.call("cuptiDeviceGetChipName", params);
  return params.name ? params.name : "";
}

Numbers count_range(const std::shared_ptr<const CuptiLibrary>& library, const std::string& chip,
                    Context context, const Texts& metrics, const Callback& settle,
                    const Callback& launch) {
  initialise(*library);
  const std::vector<uint8_t> available = availability(*library, context);
  CuptiHost host(library, chip, available.data());
  if (!host.add(metrics))
    throw Error(chip + " lacks one of the metrics", library->file(),
                "tune list counters names the metrics that it has");
  const std::vector<uint8_t> config = host.image();
  // Twice the passes that CUPTI announces, for an endless loop would hang the worker.
  const size_t most = 2 * host.passes() + 2;
  RangeProfiler profiler(*library, context);
  std::vector<uint8_t> counters = profiler.counter_image(metrics);
  profiler.configure(config, counters);
  size_t done = 0;
  const auto settled_pass = [&] {
    settle();
    return profiler.pass(launch);
  };
  while (!settled_pass())
    if (++done > most)
      throw Error(fmt::format("the profiler wants more than {} passes", most), library->file());
  profiler.decode();
  return host.values(counters, 0, metrics);
}

HardwareCounts count_metrics(const EventSet& set, const MetricSource& source) {
  EventCounts counts;
  for (const bool waiting : {false, true}) {
    std::vector<const CounterEvent*> wanted;
    for (const CounterEvent& event : set.events) {
      if (event.when.empty() == waiting) continue;
      auto* seen = value_at(counts.totals, event.when);
      if (seen && seen->count.value == 0)
        counts.totals[event.id] = {Estimate::exact(0), 1};
      else
        wanted.push_back(&event);
    }
    count_some(wanted, source, counts);
  }
  return evaluated(set, counts);
}

}  // namespace rooftune::counters
