// dlopen of libcupti and its host half.
// libcupti opens libnvperf_host.so beside itself: it is loaded by full path wherever one is known.
#include "counters/cuda/cupti_library.h"

#include <fmt/format.h>

#include <cstdlib>

#include "core/error.h"

namespace rooftune::counters {

namespace {

const char* const library_names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};

}  // namespace

std::vector<std::filesystem::path> cupti_candidates() {
  std::vector<std::filesystem::path> roots, files;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* value = std::getenv(variable); value && *value) roots.emplace_back(value);
  roots.emplace_back("/usr/local/cuda");
  for (const auto& root : roots)
    for (const char* folder : {"lib64", "lib", "extras/CUPTI/lib64"})
      for (const char* name : library_names) files.push_back(root / folder / name);
  for (const char* name : library_names) files.emplace_back(name);
  return files;
}

CuptiLibrary::CuptiLibrary(const std::filesystem::path& file) : file_(file), library_(file) {
  for (const char* function : {"cuptiProfilerHostInitialize", "cuptiRangeProfilerEnable"})
    if (!library_.find(function))
      throw Error(fmt::format("this CUPTI has no function {}", function), file.string(),
                  "CUDA 12.6 Update 2 or later has it", ExitCode::unavailable);
  library_.stay();
}

int CuptiLibrary::major() const {
  using Function = cupti::Result (*)(std::uint32_t*);
  std::uint32_t version = 0;
  if (void* const symbol = library_.find("cuptiGetVersion"))
    reinterpret_cast<Function>(symbol)(&version);
  // Until CUDA 12 the numbers counted interfaces: 24 is CUDA 12.6, the first with everything
  // needed.
  return version < 10000 ? 12 : static_cast<int>(version / 10000);
}

std::shared_ptr<const CuptiLibrary> CuptiLibrary::open(int driver) {
  std::string last = "no libcupti in $CUDA_HOME, $CUDA_PATH, /usr/local/cuda or the loader's path";
  for (const auto& file : cupti_candidates()) {
    const bool located = file.has_parent_path();
    std::error_code error;
    if (located && !std::filesystem::exists(file, error)) continue;
    try {
      auto library = std::make_shared<const CuptiLibrary>(file);
      if (driver == 0 || library->major() <= driver / 1000) return library;
      last = fmt::format("CUPTI of CUDA {} needs a newer driver than that of CUDA {} ({})",
                         library->major(), driver / 1000, file.string());
    } catch (const Error& fault) {
      if (located) last = fault.message() + " (" + file.string() + ")";
    }
  }
  throw Error(
      last, "CUPTI",
      "install the CUDA toolkit 12.6 Update 2 or later of the driver's major version, or set "
      "CUDA_HOME",
      ExitCode::unavailable);
}

std::string CuptiLibrary::words(cupti::Result result) const {
  using Function = cupti::Result (*)(cupti::Result, const char**);
  const char* text = nullptr;
  if (void* symbol = library_.find("cuptiGetResultString"))
    reinterpret_cast<Function>(symbol)(result, &text);
  return fmt::format("{} ({})", text ? text : "error", result);
}

void CuptiLibrary::check(const char* function, cupti::Result result) const {
  if (result == 0) return;
  std::string cure;
  if (result == cupti::insufficient_privileges || result == cupti::virtual_insufficient_privileges)
    cure =
        "counting on this GPU is for administrators: load the driver with "
        "NVreg_RestrictProfilingToAdminUsers=0, or give tune CAP_SYS_ADMIN";
  else if (result == cupti::mig_not_supported)
    cure = "count on a whole GPU: this one is a MIG slice";
  else if (result == cupti::invalid_chip_name)
    cure = "this CUPTI does not know the chip: use a newer CUDA toolkit";
  throw Error(fmt::format("{}: {}", function, words(result)), file_.string(), cure,
              ExitCode::unavailable);
}

std::vector<std::string> CuptiLibrary::chips() const {
  auto params = cupti::sized<cupti::SupportedChips>(&cupti::SupportedChips::names);
  call("cuptiProfilerHostGetSupportedChips", params);
  return {params.names, params.names + params.count};
}

CuptiHost::CuptiHost(std::shared_ptr<const CuptiLibrary> library, const std::string& chip,
                     const std::uint8_t* availability)
    : library_(std::move(library)) {
  auto params = cupti::sized<cupti::HostInitialize>(&cupti::HostInitialize::host);
  params.chip = chip.c_str();
  params.availability = availability;
  library_->call("cuptiProfilerHostInitialize", params);
  host_ = params.host;
}

CuptiHost::~CuptiHost() {
  auto params = cupti::sized<cupti::HostDeinitialize>(&cupti::HostDeinitialize::host);
  params.host = host_;
  library_->result("cuptiProfilerHostDeinitialize", params);
}

std::vector<const char*> pointers(const std::vector<std::string>& names) {
  std::vector<const char*> all;
  for (const std::string& name : names) all.push_back(name.c_str());
  return all;
}

bool CuptiHost::add(const std::vector<std::string>& metrics) {
  auto wanted = pointers(metrics);
  auto params = cupti::sized<cupti::AddMetrics>(&cupti::AddMetrics::count);
  params.host = host_;
  params.names = wanted.data();
  params.count = wanted.size();
  const cupti::Result result = library_->result("cuptiProfilerHostConfigAddMetrics", params);
  if (result == cupti::invalid_parameter) return false;
  library_->check("cuptiProfilerHostConfigAddMetrics", result);
  return true;
}

std::vector<std::uint8_t> CuptiHost::image() const {
  auto size = cupti::sized<cupti::ConfigImageSize>(&cupti::ConfigImageSize::bytes);
  size.host = host_;
  library_->call("cuptiProfilerHostGetConfigImageSize", size);
  std::vector<std::uint8_t> bytes(size.bytes);
  auto params = cupti::sized<cupti::ConfigImage>(&cupti::ConfigImage::image);
  params.host = host_;
  params.bytes = bytes.size();
  params.image = bytes.data();
  library_->call("cuptiProfilerHostGetConfigImage", params);
  return bytes;
}

std::size_t CuptiHost::passes() const {
  std::vector<std::uint8_t> bytes = image();
  auto params = cupti::sized<cupti::NumberOfPasses>(&cupti::NumberOfPasses::passes);
  params.bytes = bytes.size();
  params.image = bytes.data();
  library_->call("cuptiProfilerHostGetNumOfPasses", params);
  return params.passes;
}

std::vector<double> CuptiHost::values(const std::vector<std::uint8_t>& counters, std::size_t range,
                                      const std::vector<std::string>& metrics) const {
  std::vector<double> amounts(metrics.size());
  auto wanted = pointers(metrics);
  auto params = cupti::sized<cupti::EvaluateToValues>(&cupti::EvaluateToValues::values);
  params.host = host_;
  params.counters = counters.data();
  params.bytes = counters.size();
  params.range = range;
  params.names = wanted.data();
  params.count = wanted.size();
  params.values = amounts.data();
  library_->call("cuptiProfilerHostEvaluateToGpuValues", params);
  return amounts;
}

std::vector<std::string> unknown_metrics(const std::shared_ptr<const CuptiLibrary>& library,
                                         const std::string& chip,
                                         const std::vector<std::string>& metrics) {
  std::vector<std::string> unknown;
  auto host = std::make_unique<CuptiHost>(library, chip);
  for (const std::string& metric : metrics) {
    if (host->add({metric})) continue;
    unknown.push_back(metric);
    // CUPTI accepts nothing more after a refusal.
    host = std::make_unique<CuptiHost>(library, chip);
  }
  return unknown;
}

}  // namespace rooftune::counters
