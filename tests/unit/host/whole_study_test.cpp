// A whole study on this computer, from its settings to the answer and its resumption: compiler,
// worker, race, set-backs, records and report. Under the sanitizers of continuous integration it
// runs all that a release does but its command line.
#include <catch2/catch.hpp>

#include "host/host_platform.h"
#include "os/topology.h"
#include "report/answer.h"
#include "report/study_page.h"
#include "report/terminal.h"
#include "roofline/machine_json.h"
#include "store/record_reader.h"
#include "store/study_store.h"
#include "study/result.h"
#include "study/run_study.h"
#include "support/environment_variable.h"
#include "support/machine_builder.h"
#include "support/scratch_folder.h"

using namespace rooftune;

namespace {

/// Triad, twenty times over unless told to do it once.
void write_triad(const testing::ScratchFolder& folder) {
  folder.write("triad/kernel.json", R"({"schema": "rooftune-kernel-1", "name": "triad",
    "title": "triad", "parameters": [{"name": "n", "type": "integer", "default": 20000}],
    "arguments": [{"name": "n", "type": "int64", "value": "n"},
      {"name": "b", "type": "double*", "count": "n", "access": "read",
       "fill": {"kind": "uniform", "low": -1, "high": 1, "seed": 7}},
      {"name": "a", "type": "double*", "count": "n", "access": "write"}],
    "work": {"least": {"fp64": "2*n"}, "nominal": "2*n", "items": "n", "item": "element"},
    "traffic": {"read": "8*n", "write": "8*n", "footprint": "16*n"},
    "reference": "reference.cpp", "backends": {"openmp": {"source": "openmp.cpp"}}})");
  folder.write("triad/reference.cpp",
               "void triad(std::int64_t n, const double* b, double* a) {\n"
               "  for (std::int64_t i = 0; i < n; ++i) a[i] = b[i] + 3 * b[i];\n}\n");
  folder.write("triad/openmp.cpp", R"(
void triad(std::int64_t n, const double* b, double* a) {
  for (int pass = 0; pass < KNOB_PASSES; ++pass)
#pragma omp parallel for
    for (std::int64_t i = 0; i < n; ++i) {
      volatile double product = 3 * b[i];
      a[i] = b[i] + (KNOB_BROKEN ? 0 : product);
    }
}
)");
  folder.write("triad/triad.openmp.json", R"({"schema": "rooftune-space-1", "kernel": "triad",
    "backend": "openmp", "knobs": [
      {"name": "threads", "kind": "openmp", "setting": "threads", "values": [2, 1], "default": 2,
       "breaks": ["tlp"], "doc": "threads"},
      {"name": "passes", "kind": "compile", "values": [20, 1], "default": 20, "breaks": ["work"],
       "doc": "how often it is computed"},
      {"name": "broken", "kind": "compile", "values": [0, 1], "default": 0, "breaks": ["work"],
       "doc": "wrong"}]})");
}

/// This computer, with ceilings as they would not be measured.
void write_machine(const testing::ScratchFolder& folder) {
  const os::Topology host = os::topology();
  Machine machine = test::plain_machine();
  machine.name = machine.id = "host";
  machine.cores = host.cores;
  const os::CpuFeatures features = os::cpu_features();
  machine.simd_bits = features.simd_bits;
  machine.features = features.names;
  machine.identity = {{"cpu", host.cpu_model}};
  machine.ceilings = {test::core_ceiling("peak", 1e12),
                      test::stream("DRAM load", "DRAM", 1, 1e12, 1, {}, "load")};
  folder.write("machines/host.json", to_json(machine).dump(1));
}

}  // namespace

TEST_CASE("a whole study: trials, race, set-backs, records, answer, and the same command again") {
  const testing::ScratchFolder folder;
  write_triad(folder);
  write_machine(folder);
  const auto in = [&](const char* name) { return (folder.path() / name).string(); };
  const testing::EnvironmentVariable worker("ROOFTUNE_WORKER", ROOFTUNE_TEST_WORKER),
      home("ROOFTUNE_HOME", ROOFTUNE_SOURCE_DIR), machines("ROOFTUNE_MACHINES", in("machines")),
      cache("ROOFTUNE_CACHE", in("cache")), locks("ROOFTUNE_LOCKS", in("locks")),
      best_known("ROOFTUNE_BEST_KNOWN", in("best_known"));
  StudySpec spec;
  spec.kernel = in("triad");
  spec.machine = "host";
  spec.results = in("results");
  spec.strategy = "exhaustive";
  spec.threads = std::min(2, os::topology().cores);
  spec.builders = 2;
  spec.budget = {.evaluations = 6};
  HostPlatform platform;
  const FinishedStudy first = run_study(spec, platform, {});
  const StudyResult& result = first.result;
  CHECK(result.trials.size() == 6);
  REQUIRE(result.best);
  CHECK(result.best->configuration.at("passes") == Value(1));
  CHECK(result.best->configuration.at("broken") == Value(0));
  CHECK(counts(result).at(Outcome::wrong_result) >= 2);
  if (!result.busy) {
    CHECK(result.race_rounds > 0);
    CHECK(result.speedup->low > 2);
    REQUIRE(result.staircase);
    CHECK(result.staircase->stairs.size() >= 2);
  }
  CHECK_FALSE(claims(result).empty());
  CHECK_FALSE(terminal_details(result, {}).empty());
  CHECK(study_page(result, "").find("</html>") != std::string::npos);

  // As it stands on disk, and then on from there.
  const StudyHeader& header = first.record.header;
  auto stored = read_study(spec.results, header);
  REQUIRE(stored);
  CHECK(stored->faults.empty());
  stored->place = first.record.place;
  CHECK(to_json(analyse(*stored)) == to_json(result));
  spec.budget = {.evaluations = 8};
  const FinishedStudy second = run_study(spec, platform, {});
  REQUIRE(second.result.trials.size() == 8);
  for (std::size_t i = 0; i < 6; ++i)
    CHECK(second.result.trials[i].started == result.trials[i].started);
  CHECK(second.result.best->configuration.at("passes") == Value(1));
  CHECK(verify_records(spec.results).sound());
}
