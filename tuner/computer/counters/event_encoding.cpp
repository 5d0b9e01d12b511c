// Encodings of libpfm4, set to encode for absent processors too: a wrong name in a file shows on
// any machine.
#include "counters/event_encoding.h"

#include <fmt/format.h>
#include <perfmon/pfmlib_perf_event.h>

#include <algorithm>
#include <cstdlib>

#include "core/error.h"

namespace rooftune::counters {

namespace {

/// libpfm is initialised once; the variable makes it encode for absent PMUs.
bool initialised() {
  static const bool done = [] {
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 0);
    return pfm_initialize() == PFM_SUCCESS;
  }();
  return done;
}

bool is_uncore(const std::string& pmu) { return pmu.find("_unc_") != std::string::npos; }

LibraryEncoding core_encoding(const std::string& name) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  pfm_perf_encode_arg_t request{};
  request.attr = &attributes;
  request.size = sizeof request;
  const int result = pfm_get_os_event_encoding(name.c_str(), PFM_PLM3, PFM_OS_PERF_EVENT, &request);
  if (result != PFM_SUCCESS) return {true, std::nullopt, pfm_strerror(result)};
  return {true, attributes.config, {}};
}

/// perf's device type is known only where the device is; the code needs no device.
LibraryEncoding uncore_encoding(const std::string& name) {
  pfm_pmu_encode_arg_t request{};
  request.size = sizeof request;
  const int result = pfm_get_os_event_encoding(name.c_str(), PFM_PLM3, PFM_OS_NONE, &request);
  if (result != PFM_SUCCESS) return {true, std::nullopt, pfm_strerror(result)};
  LibraryEncoding encoding{true, std::nullopt, {}};
  if (request.count == 1)
    encoding.code = request.codes[0];
  else
    encoding.problem = "the event needs more than one register";
  std::free(request.codes);
  return encoding;
}

}  // namespace

std::vector<std::string> library_pmus() {
  std::vector<std::string> names;
  if (!initialised()) return names;
  for (int i = 0; i < PFM_PMU_MAX; ++i) {
    pfm_pmu_info_t info{};
    info.size = sizeof info;
    if (pfm_get_pmu_info(static_cast<pfm_pmu_t>(i), &info) == PFM_SUCCESS)
      names.emplace_back(info.name);
  }
  return names;
}

LibraryEncoding library_encoding(const std::string& pmu, const std::string& event) {
  static const std::vector<std::string> known = library_pmus();
  if (std::find(known.begin(), known.end(), pmu) == known.end())
    return {false, std::nullopt, "the installed libpfm does not know the PMU " + pmu};
  const std::string name = pmu + "::" + event;
  return is_uncore(pmu) ? uncore_encoding(name) : core_encoding(name);
}

EncodedEvent encoded(const EventSet& set, const CounterEvent& event) {
  EncodedEvent result;
  result.id = event.id;
  result.slots = event.slots;
  if (!event.code)
    throw Error("event " + event.id + " has no code: it is no event of a processor", set.name);
  result.config = *event.code;
  result.description =
      fmt::format("{}raw {:#x}", event.name.empty() ? "" : event.name + ", ", *event.code);
  if (event.name.empty() || !event.devices.empty()) return result;
  for (const std::string& pmu : set.pmu) {
    const LibraryEncoding library = library_encoding(pmu, event.name);
    if (!library.pmu_known) continue;
    if (!library.code)
      throw Error(fmt::format("{}::{}: libpfm says: {}", pmu, event.name, library.problem),
                  set.name, "correct the event's name in machines/events");
    if (*library.code != *event.code)
      throw Error(fmt::format("{}::{} is {:#x} for libpfm and {:#x} in the file", pmu, event.name,
                              *library.code, *event.code),
                  set.name, "correct the event's code in machines/events");
    result.description = pmu + "::" + event.name;
    return result;
  }
  return result;
}

}  // namespace rooftune::counters
