// Event sets: every file reads, fits its processors, and every name in it is libpfm's.

#include "counters/event_set.h"

#include <perfmon/pfmlib_perf_event.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <set>

#include "core/error.h"
#include "counters/hardware_count.h"

using namespace rooftune;

namespace {

const std::filesystem::path directory =
    std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "machines" / "events";

const std::vector<EventSet>& all() {
  static const std::vector<EventSet> sets = read_event_sets(directory);
  return sets;
}

/// libpfm's knowledge of a PMU, and its encoding of one of the PMU's events.
struct LibraryEncoding {
  bool pmu_known = false;
  std::optional<std::uint64_t> code;  ///< perf's config; absent: see `problem`
  std::string problem;                ///< libpfm's words
};
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

/// Names of the PMUs in the installed libpfm.
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

/// Encodes "FP_ARITH_INST_RETIRED:SCALAR_DOUBLE" for "spr"; also for a processor not present.
LibraryEncoding library_encoding(const std::string& pmu, const std::string& event) {
  static const std::vector<std::string> known = library_pmus();
  if (std::find(known.begin(), known.end(), pmu) == known.end())
    return {false, std::nullopt, "the installed libpfm does not know the PMU " + pmu};
  const std::string name = pmu + "::" + event;
  return is_uncore(pmu) ? uncore_encoding(name) : core_encoding(name);
}

Json small() {
  return parse_json(R"({"schema":"rooftune-events-1","name":"x","title":"X","source":"s",
    "cpus":[{"vendor":"V","family":6,"models":[[1,2]]}],"pmu":["p"],"counters":4,
    "events":[{"id":"a","event":"A","code":"0x1"},{"id":"b","code":"0x2","source":"manual"}],
    "quantities":[{"name":"flops.fp64","formula":"a + 2*b"}],"traps":[]})",
                    "small");
}

void check_fault(const Json& json, const std::string& part) {
  INFO(part);
  try {
    event_set_from_json(json, "file.json");
    FAIL("no error");
  } catch (const Error& error) {
    CHECK_THAT(error.what(), Catch::Contains("file.json") && Catch::Contains(part));
  }
}

}  // namespace

TEST_CASE("every microarchitecture of the plan has an event set that bears its file's name") {
  std::set<std::string> names;
  for (const EventSet& set : all()) {
    INFO(set.name);
    CHECK(std::filesystem::is_regular_file(directory / (set.name + ".json")));
    CHECK_FALSE(set.traps.empty());
    names.insert(set.name);
  }
  for (const char* name :
       {"skylakex", "cascadelakex", "icelakex", "sapphirerapids", "emeraldrapids", "graniterapids",
        "zen2", "zen3", "zen4", "zen5", "neoverse_v1", "neoverse_v2", "neoverse_n2", "a64fx",
        "nvidia_gv100", "nvidia_ga100", "nvidia_gh100"})
    CHECK(names.count(name) == 1);
}

// No such processor need be here: libpfm encodes for any PMU that it knows.
TEST_CASE("libpfm encodes every named event as the file does") {
  std::size_t checked = 0;
  for (const EventSet& set : all()) {
    if (!set.chips.empty()) continue;
    INFO(set.name);
    std::size_t unknown = 0;
    for (const CounterEvent& event : set.events) {
      if (event.name.empty()) continue;
      INFO(event.name);
      const std::vector<std::string> pmus =
          event.devices.empty() ? set.pmu : std::vector<std::string>{event.pmu};
      bool known = false;
      for (const std::string& pmu : pmus) {
        const LibraryEncoding library = library_encoding(pmu, event.name);
        if (!library.pmu_known) continue;
        INFO(pmu << ": " << library.problem);
        known = true;
        REQUIRE(library.code);
        CHECK(*library.code == *event.code);
        ++checked;
      }
      if (!known) ++unknown;
    }
    if (unknown > 0)
      WARN("skipped: the installed libpfm has no PMU for "
           << unknown << " events of " << set.name << "; their codes stand on: " << set.source);
  }
  CHECK(checked > 0);
}

TEST_CASE("libpfm's refusal is told: a wrong event, a wrong PMU") {
  const auto pmus = library_pmus();
  REQUIRE_FALSE(pmus.empty());
  const LibraryEncoding event = library_encoding(pmus.front(), "NO_SUCH_EVENT");
  CHECK(event.pmu_known);
  CHECK_FALSE(event.code);
  CHECK_FALSE(event.problem.empty());
  const LibraryEncoding pmu = library_encoding("no_such_pmu", "NO_SUCH_EVENT");
  CHECK_FALSE(pmu.pmu_known);
  CHECK_THAT(pmu.problem, Catch::Contains("no_such_pmu"));
}

TEST_CASE("an event is encoded by its code, and described by its name") {
  const EventSet set = event_set_from_json(small(), "small");
  CHECK(encoded(set.events[0]).config == 1);
  CHECK(encoded(set.events[0]).description == "A, raw 0x1");
  CHECK(encoded(set.events[1]).description == "raw 0x2");
}

TEST_CASE("processors find their event set by number") {
  const auto found = [](CpuIdentity cpu) {
    const EventSet* set = event_set(all(), cpu);
    return set ? set->name : "none";
  };
  CHECK(found({"GenuineIntel", 6, 85, 4, -1, -1}) == "skylakex");
  CHECK(found({"GenuineIntel", 6, 85, 7, -1, -1}) == "cascadelakex");
  CHECK(found({"GenuineIntel", 6, 106, 6, -1, -1}) == "icelakex");
  CHECK(found({"GenuineIntel", 6, 143, 8, -1, -1}) == "sapphirerapids");
  CHECK(found({"GenuineIntel", 6, 207, 2, -1, -1}) == "emeraldrapids");
  CHECK(found({"GenuineIntel", 6, 173, 1, -1, -1}) == "graniterapids");
  CHECK(found({"AuthenticAMD", 23, 49, 0, -1, -1}) == "zen2");
  CHECK(found({"AuthenticAMD", 25, 1, 1, -1, -1}) == "zen3");
  CHECK(found({"AuthenticAMD", 25, 17, 1, -1, -1}) == "zen4");
  CHECK(found({"AuthenticAMD", 26, 2, 1, -1, -1}) == "zen5");
  CHECK(found({"", -1, -1, -1, 0x41, 0xd40}) == "neoverse_v1");
  CHECK(found({"", -1, -1, -1, 0x41, 0xd4f}) == "neoverse_v2");
  CHECK(found({"", -1, -1, -1, 0x41, 0xd49}) == "neoverse_n2");
  CHECK(found({"", -1, -1, -1, 0x46, 0x001}) == "a64fx");
  CHECK(found({"GenuineIntel", 6, 167, 1, -1, -1}) == "none");
  CHECK(found({"AuthenticAMD", 23, 1, 2, -1, -1}) == "none");
}

TEST_CASE("processor numbers are read from either kind of /proc/cpuinfo") {
  const CpuIdentity intel = cpu_identity(
      "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"
      "model name\t: Xeon\nstepping\t: 8\n\nprocessor\t: 1\nmodel\t: 1\n");
  CHECK(intel.text() == "GenuineIntel family 6 model 143 stepping 8");
  const CpuIdentity arm = cpu_identity("CPU implementer\t: 0x41\nCPU part\t: 0xd40\n");
  CHECK(arm.text() == "Arm implementer 0x41 part 0xd40");
  CHECK(cpu_identity("model : -3\nstepping : 1x\n").model == -1);
  CHECK(cpu_identity(std::string()).text() == "an unnamed processor");
}

TEST_CASE("faults of an event set are named with their place") {
  CHECK_NOTHROW(event_set_from_json(small(), "small"));
  const auto with = [](const std::string& pointer, const Json& value) {
    Json json = small();
    json[Json::json_pointer(pointer)] = value;
    return json;
  };
  check_fault(with("/quantities/0/formula", "a + c + b"), "unknown event c");
  check_fault(with("/quantities/0/formula", "2*a"), "event b is never used");
  check_fault(with("/quantities/0/formula", "a +"), "formula");
  check_fault(with("/quantities/0/name", "flops.fp65"), "flops.fp65");
  check_fault(with("/events/0/code", "1c7"), "/events/0/code");
  check_fault(with("/events/0/slots", 5), "does not fit");
  check_fault(with("/events/0/id", "b"), "event b twice");
  check_fault(with("/events/1/source", ""), "says where its code comes from");
  check_fault(with("/events/0/devices", "uncore_(["), "regular expression");
  check_fault(with("/cpus/0/models", Json::array({Json::array({2, 1})})), "[first, last]");
  check_fault(with("/counters", 0), "counters");
  check_fault(with("/schema", "other"), "rooftune-events-1");
  check_fault(with("/evnts", 1), "unknown member");
}
