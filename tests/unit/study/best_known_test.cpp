// What comes with Rooftune for studies to start from: the files, and what a study takes from them
// and from the records of others.
#include "study/best_known.h"

#include <catch2/catch.hpp>

#include "core/file.h"
#include "study/find_study.h"
#include "study/modelled.h"
#include "study_run.h"
#include "synthetic_platform.h"

using namespace rooftune;
using namespace rooftune::synthetic;
using Catch::Contains;

namespace {

MachineClass epyc(int cores) {
  return {MachineKind::cpu, "AMD EPYC 9575F 64-Core Processor", cores, 512, {"avx2", "avx512f"}};
}

KnownBest entry(MachineClass machine, std::int64_t n, const std::vector<std::int64_t>& xy) {
  KnownBest known;
  known.machine = std::move(machine);
  known.problem = {{"n", n}};
  known.difference.set("x", xy[0]);
  known.difference.set("y", xy[1]);
  known.seconds = 1e-3;
  known.over_baseline = 2;
  known.gap = 1.5;
  known.compiler = "g++ 12.2.0";
  known.date = "2026-11-23T00:00:00Z";
  known.version = "0.1.0";
  return known;
}

void ship(const SyntheticKernel& kernel, std::vector<KnownBest> entries) {
  kernel.folder().write("best_known/valley.openmp.json",
                        encode(BestKnown{"valley", "openmp", std::move(entries)}).dump(1));
}

FinishedStudy studied(const StudySpec& spec) {
  SyntheticPlatform platform;
  return run_study(spec, platform, {});
}

StudySpec spec_of(const SyntheticKernel& kernel, std::int64_t n, std::uint64_t evaluations) {
  StudySpec spec = kernel.spec(evaluations);
  spec.inputs = {{"n", {{"n", n}}}};
  spec.staircase = false;
  return spec;
}

std::string xy(const Configuration& configuration) {
  return to_text(configuration.at("x")) + to_text(configuration.at("y"));
}

std::vector<std::string> all_xy(const std::vector<Configuration>& configurations) {
  std::vector<std::string> all;
  for (const Configuration& one : configurations) all.push_back(xy(one));
  return all;
}

}  // namespace

TEST_CASE("a file of what is best known makes the round trip and joins entries") {
  BestKnown known{"valley", "openmp", {entry(epyc(2), 1000, {7, 3})}};
  known.entries[0].over_baseline.reset();
  const BestKnown read = decoded<BestKnown>(parse_json(encode(known).dump(), "f"), "f");
  CHECK(encode(read) == encode(known));

  KnownBest slower = entry(epyc(2), 1000, {1, 1}), faster = slower;
  slower.seconds = 2e-3;
  faster.seconds = 0.5e-3;
  add(known, slower);
  REQUIRE(known.entries.size() == 1);
  CHECK(xy(known.entries[0].difference) == "73");
  add(known, faster);
  REQUIRE(known.entries.size() == 1);
  CHECK(xy(known.entries[0].difference) == "11");
  add(known, entry(epyc(4), 1000, {2, 2}));
  add(known, entry(epyc(2), 2000, {2, 2}));
  CHECK(known.entries.size() == 3);
}

TEST_CASE("a file of what is best known is refused with place and cure, all faults at once") {
  Json json = encode(BestKnown{"valley", "openmp", {entry(epyc(2), 1000, {7, 3})}});
  const auto fault = [&](const std::string& place, const Json& value, const std::string& words) {
    Json other = json;
    other[Json::json_pointer(place)] = value;
    INFO(place);
    CHECK_THROWS_WITH(decoded<BestKnown>(other, "f.json"), Contains(words));
  };
  fault("/schema", "rooftune-best-known-9", "tune export --format best-known writes such files");
  fault("/entries/0/machine/kind", "tpu", "f.json: /entries/0/machine/kind: unknown kind \"tpu\"");
  fault("/entries/0/seconds", 0, "f.json: /entries/0/seconds: must be more than 0");
  fault("/entries/0/gap", "wide", "/entries/0/gap");
  fault("/entries/0/configuration/x", Json::array(),
        "/entries/0/configuration/x: expected a number");
  fault("/entries/0/problem", nullptr, "/entries/0/problem: ");
  fault("/entries/0/knob", 1, "unknown member \"knob\"");
  json["entries"][0].erase("machine");
  CHECK_THROWS_WITH(decoded<BestKnown>(json, "f.json"), Contains("/entries/0/machine: is missing"));
}

TEST_CASE("machines and problems are the farther apart the less they are alike") {
  MachineClass intel = epyc(2), genoa = epyc(2), narrow = epyc(2), card = epyc(2);
  intel.model = "Intel(R) Xeon(R) Gold 6338";
  genoa.model = "AMD EPYC 9354";
  narrow.simd_bits = 256;
  card.kind = MachineKind::gpu;
  CHECK(distance(epyc(2), epyc(2)) == 0);
  CHECK(distance(epyc(2), genoa) < distance(epyc(2), intel));
  CHECK(distance(epyc(2), epyc(4)) < distance(epyc(2), epyc(64)));
  CHECK(distance(epyc(2), narrow) > 0);
  CHECK(distance(epyc(2), intel) < distance(epyc(2), card));
  const Facts small{{"n", 1000}, {"input", "a"}}, larger{{"n", 4000}, {"input", "a"}},
      other{{"n", 1000}, {"input", "b"}};
  CHECK(distance(small, small) == 0);
  CHECK(distance(small, larger) == 2);
  CHECK(distance(small, other) == 1);
  CHECK(distance(small, Facts{{"n", 1000}}) == 1);
}

TEST_CASE("a study starts from the nearest that is shipped, three at most, and says so") {
  const SyntheticKernel kernel;
  const auto read = studied(spec_of(kernel, 500, 1));
  const MachineClass here = machine_class(read.record.setup->machine);
  CHECK_FALSE(read.record.setup->transfer);
  MachineClass wide = here;
  wide.cores = 4;
  KnownBest gone = entry(here, 1000, {1, 1}), other_value = entry(here, 1000, {77, 1});
  gone.difference.set("unroll", 4);
  ship(kernel, {entry(wide, 1000, {5, 5}), gone, entry(here, 64000, {6, 6}), other_value,
                entry(here, 2000, {7, 2}), entry(epyc(64), 1000, {9, 9})});
  const auto study = studied(spec_of(kernel, 1000, 6));
  REQUIRE(study.record.setup->transfer);
  const Transfer& transfer = *study.record.setup->transfer;
  // The study of n=500 knows its baseline only, which is tried anyway.
  CHECK(all_xy(transfer.proposals) == std::vector<std::string>{"72", "66", "55"});
  CHECK(transfer.skipped == 2);
  CHECK_THAT(to_text(*study.result.setup.transfer),
             Contains("started from the best known: 1 of valley.openmp.json on ") &&
                 Contains("2 shipped with knobs or values that this space has not"));
  CHECK(xy(study.record.history.trials()[0].configuration) == "00");
  CHECK(xy(study.record.history.trials()[1].configuration) == "72");

  StudySpec without = spec_of(kernel, 1000, 6);
  without.transfer = false;
  without.fresh = true;
  CHECK_FALSE(studied(without).record.setup->transfer);
}

TEST_CASE("what a study began with stays, whatever is known later") {
  const SyntheticKernel kernel;
  StudySpec spec = spec_of(kernel, 1000, 3);
  CHECK_FALSE(studied(spec).record.setup->transfer);
  ship(kernel, {entry(epyc(2), 1000, {7, 3})});
  spec.budget.evaluations = 9;
  const auto resumed = studied(spec);
  CHECK_FALSE(resumed.record.setup->transfer);
  spec.fresh = true;
  spec.budget.evaluations = 3;
  const auto begun = studied(spec);
  REQUIRE(begun.record.setup->transfer);
  spec.fresh = false;
  spec.budget.evaluations = 9;
  kernel.folder().write("best_known/valley.openmp.json", "damaged");
  const auto straight = studied(spec);
  CHECK(encode(*straight.record.setup->transfer) == encode(*begun.record.setup->transfer));
  StudySpec other = spec_of(kernel, 2000, 3);
  CHECK_THROWS_WITH(studied(other), Contains("valley.openmp.json"));
}

TEST_CASE("of records the same machine's nearest problem comes first, each configuration once") {
  const SyntheticKernel kernel;
  const auto far = studied(spec_of(kernel, 64000, 12)), near = studied(spec_of(kernel, 2000, 12));
  ship(kernel, {entry(epyc(64), 1000, {9, 9})});
  const auto study = studied(spec_of(kernel, 1000, 12));
  REQUIRE(study.record.setup->transfer);
  const Transfer& transfer = *study.record.setup->transfer;
  REQUIRE(transfer.sources.size() >= 2);
  CHECK(transfer.sources[0].study == near.record.header.id);
  CHECK(transfer.sources.back().study == "valley.openmp.json");
  CHECK(transfer.proposals[0] == near.record.history.best()->configuration);
  CHECK(transfer.proposals.size() <= 12);
  for (std::size_t i = 0; i < transfer.proposals.size(); ++i)
    CHECK(std::count(transfer.proposals.begin(), transfer.proposals.end(), transfer.proposals[i]) ==
          1);
}

TEST_CASE("every file that comes with Rooftune can be read and is named for what it holds") {
  const auto folder = std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "search_spaces/best_known";
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".json") continue;
    INFO(file.path().string());
    const BestKnown known = decoded<BestKnown>(read_json(file.path()), file.path().string());
    CHECK(file.path().filename() == known.kernel + "." + known.backend + ".json");
    CHECK_FALSE(known.entries.empty());
  }
}

TEST_CASE("a search of the model alone finds what its times say, and nothing runs") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  PreparedStudy study = prepare(spec_of(kernel, 1000, 1), platform);
  CHECK(modelled(study, {}, 60, 60).empty());
  study.backend.name = "cuda";
  const auto times = modelled(study, {}, 60, 60);
  CHECK(platform.trials == 0);
  REQUIRE(times.size() == 60);
  CHECK(xy(times.front().configuration) == "00");
  CHECK(times.front().seconds == Approx(1.5e-3 * 59 / 2));
  Configurations asked;
  double best = HUGE_VAL;
  for (const Modelled& one : times) {
    CHECK_FALSE(contains(asked, one.configuration));
    asked.push_back(one.configuration);
    CHECK((one.seconds == 0) == (one.configuration.at("y") == Value(9)));
    if (one.seconds > 0) best = std::min(best, one.seconds);
  }
  // One step beside the best of 200 at most.
  CHECK(best <= 1e-3);
  const auto again = modelled(study, {}, 60, 60);
  CHECK(encode(again) == encode(times));
  // What is known comes first; without time for more it is all.
  const auto few = modelled(study, {times[9].configuration}, 60, 0);
  REQUIRE(few.size() == 2);
  CHECK(few[1].configuration == times[9].configuration);
}
