
#include <catch2/catch.hpp>

#include "roofline/roofline.h"
#include "support/machine_builder.h"

using namespace rooftune;
using namespace rooftune::test;
using Kind = LedgerEntry::Kind;
using P = Paradigm;
using State = LedgerEntry::State;

namespace {

/// Compute-bound by far: peak 160, without fma 80, without simd 20, without both 10, neither nor
/// tlp 5.
Machine compute_machine() {
  Machine m = plain_machine();
  m.ceilings = {core_ceiling("wide fma 2t", 160, 2, {P::simd, P::fma, P::tlp}),
                core_ceiling("wide add 2t", 80, 2, {P::simd, P::tlp}, "fp64", "add"),
                core_ceiling("narrow fma 2t", 20, 2, {P::fma, P::tlp}),
                core_ceiling("narrow add 2t", 10, 2, {P::tlp}, "fp64", "add"),
                core_ceiling("narrow add 1t", 5, 1, {}, "fp64", "add")};
  return m;
}

Roofline compute_bound(const Machine& machine = compute_machine()) {
  return {flops(160), moved(0, 0), machine, 2};
}

using Changes = std::vector<Step::Change>;

Step step(double seconds, Changes changes = {}) {
  return {{seconds, seconds * 0.99, seconds * 1.01}, std::move(changes)};
}

const LedgerEntry* find(const std::vector<LedgerEntry>& entries, const Paradigms& lacks) {
  for (const auto& entry : entries)
    if (entry.lacks == lacks) return &entry;
  return nullptr;
}

const Step::Change wider{"simd_width", "1", "8", {P::simd}};
const Step::Change contracted{"contract", "off", "on", {P::fma}};
const Step::Change threads{"threads", "1", "2", {P::tlp}};

}  // namespace

TEST_CASE("ceilings between baseline and best are broken, with the knob that did it") {
  // 160 flops: 1 s at the peak, 2 s without fma, 8 without simd, 16 without both, 32 without
  // anything.
  const std::vector<Step> path{step(40), step(12, {threads, contracted}), step(1.5, {wider})};
  const auto entries = compute_bound().ledger(path);
  REQUIRE(entries.size() == 5);
  CHECK(entries[0].level == "fp64");
  CHECK(entries[0].ceiling == "narrow add 1t");
  CHECK(entries[0].lacks == Paradigms{P::fma, P::simd, P::tlp});
  CHECK(entries[0].state == State::broken);
  CHECK(entries[0].kind == Kind::in_core);
  CHECK(entries[0].time.value() == Approx(32));
  CHECK(entries[0].knobs == Changes{threads, contracted});

  const LedgerEntry* simd = find(entries, {P::simd});
  REQUIRE(simd);
  CHECK(simd->state == State::broken);
  CHECK(simd->ceiling == "narrow fma 2t");
  CHECK(simd->knobs == Changes{wider});
  // Both limits below were crossed by the step that can break simd but not fma.
  CHECK(find(entries, {P::fma, P::simd})->knobs == Changes{contracted});

  const LedgerEntry* roof = find(entries, {});
  REQUIRE(roof);
  CHECK(roof->ceiling == "wide fma 2t");
  CHECK(roof->state == State::above);
  CHECK(roof->knobs.empty());
}

TEST_CASE("a step whose knobs name other paradigms is credited to nobody") {
  const std::vector<Step> path{step(3), step(1.5, {threads, wider})};
  const auto entries = compute_bound().ledger(path);
  const LedgerEntry* fma = find(entries, {P::fma});
  REQUIRE(fma);
  CHECK(fma->state == State::broken);
  CHECK(fma->knobs.empty());
  CHECK(fma->evidence == LedgerEntry::Evidence::none);
}

TEST_CASE("a change away from what a ceiling lacks brings it nothing") {
  const Paradigms lacks{P::tlp, P::prefetch, P::simd, P::capacity};
  CHECK_FALSE(can_add({"threads", 2, 1, {P::tlp}}, lacks));
  CHECK(can_add({"threads", 1, 2, {P::tlp}}, lacks));
  CHECK_FALSE(can_add({"prefetch", 8, 0, {P::prefetch}}, lacks));
  CHECK_FALSE(can_add({"prefetch", 8, 4, {P::prefetch}}, lacks));
  CHECK(can_add({"prefetch", 0, 4, {P::prefetch}}, lacks));
  CHECK_FALSE(can_add({"simd_width", 8, 4, {P::simd}}, lacks));
  CHECK(can_add({"simd", false, true, {P::simd}}, lacks));
  CHECK_FALSE(can_add({"simd", true, false, {P::simd}}, lacks));
  // Blocks may be too large.
  CHECK(can_add({"block", 256, 64, {P::capacity}}, lacks));
  CHECK_FALSE(can_add({"staging", "rows", "none", {P::capacity}}, lacks));
  CHECK(can_add({"staging", "none", "rows", {P::capacity}}, lacks));
  CHECK_FALSE(can_add({"unroll", 1, 4, {P::ilp}}, lacks));
}

TEST_CASE("who could not be set back may have done it, and nobody else is credited") {
  const std::vector<Step> path{step(40), step(1.5, {threads})};
  Attribution known;
  known.set_back = {{threads, {1.8, 1.7, 1.9}}, {contracted, {1.8, 1.7, 1.9}}};
  known.not_set_back = {wider};
  const auto entries = compute_bound().ledger(path, known);
  const LedgerEntry* simd = find(entries, {P::simd});
  REQUIRE(simd);
  CHECK(simd->knobs.empty());
  CHECK(simd->not_set_back == Changes{wider});
  CHECK(simd->evidence == LedgerEntry::Evidence::none);
  CHECK(find(entries, {P::fma})->not_set_back.empty());
}

TEST_CASE("what ran beside the finalists decides where the machine moved") {
  Machine m = compute_machine();
  for (Ceiling& ceiling : m.ceilings) ceiling.rate.low = 0.4 * ceiling.rate.value;
  const std::vector<Step> path{step(7), step(2.3, {contracted})};
  const LedgerEntry* alone = nullptr;
  const auto moved_alone = compute_bound(m).ledger(path);
  REQUIRE((alone = find(moved_alone, {P::fma})));
  CHECK(alone->state == State::uncertain);
  CHECK_THAT(alone->doubt, Catch::Contains("\"wide add 2t\" moved by 60 %"));
  CHECK_FALSE(alone->paired);
  // Both took 1.8 times as long as on a quiet machine, and so did the ceiling: 2 s without fma.
  Attribution known;
  known.beside["wide add 2t"] = {{3.9, 3.8, 4.0}, {1.3, 1.25, 1.35}};
  const auto entries = compute_bound(m).ledger(path, known);
  CHECK(find(entries, {P::fma})->state == State::broken);
  CHECK(find(entries, {P::fma})->paired);
  // Had they waited for it by half only, the best would be behind it.
  known.beside["wide add 2t"] = {{3.9, 3.8, 4.0}, {1.8, 1.75, 1.79}};
  CHECK(find(compute_bound(m).ledger(path, known), {P::fma})->state == State::uncertain);
  CHECK_THAT(find(compute_bound(m).ledger(path, known), {P::fma})->doubt,
             Catch::Contains("how much of that slowed the two is not known"));
  known.beside["wide add 2t"] = {{3.9, 3.8, 4.0}, {2.3, 2.2, 2.4}};
  CHECK(find(compute_bound(m).ledger(path, known), {P::fma})->state == State::above);
  known.beside["wide add 2t"] = {{3.9, 3.8, 4.0}, {1.98, 1.95, 2.05}};
  const std::vector<Step> at_it{step(7), step(2.05, {contracted})};
  CHECK(find(compute_bound(m).ledger(at_it, known), {P::fma})->state == State::touching);
  known.beside["wide add 2t"] = {{3.9, 3.8, 4.0}, {2.0, 1.5, 2.4}};
  CHECK(find(compute_bound(m).ledger(path, known), {P::fma})->state == State::uncertain);
}

TEST_CASE("a wall is passed only by who moved less than it, from behind it") {
  Traffic traffic = moved(20, 10);
  traffic.walls = {{"write allocate", P::nt_store, "DRAM", Bytes(30), Bytes(10)}};
  const std::vector<Step> path{step(20), step(3.2)};
  const auto entry = [&](double baseline, double best) {
    Attribution known;
    known.baseline_moved["DRAM"] = {Bytes(baseline), Bytes(0), Bytes(0)};
    known.best_moved["DRAM"] = {Bytes(best), Bytes(0), Bytes(0)};
    const auto entries = Roofline{Work{}, traffic, plain_machine(), 1}.ledger(path, known);
    const LedgerEntry* found = find(entries, {P::nt_store});
    return found ? std::optional(*found) : std::nullopt;
  };
  CHECK(entry(40, 30)->state == State::broken);
  CHECK(entry(40, 40)->state == State::broken);
  CHECK(entry(40, 45)->state == State::uncertain);
  CHECK_THAT(entry(40, 45)->doubt, Catch::Contains("still moves 45 B there, the wall is 40 B"));
  CHECK_FALSE(entry(30, 30));
}

TEST_CASE("ceilings that the baseline already exceeds are left out") {
  const auto entries = compute_bound().ledger({step(3), step(1.5)});
  CHECK(find(entries, {P::fma}));
  CHECK_FALSE(find(entries, {P::simd}));
}

TEST_CASE(
    "an interval that meets the ceiling touches it, and a baseline that meets it breaks nothing") {
  const auto touching = compute_bound().ledger({step(40), step(2)});
  CHECK(find(touching, {P::fma})->state == State::touching);
  const auto met = compute_bound().ledger({step(2), step(1.5)});
  REQUIRE(find(met, {P::fma}));
  CHECK(find(met, {P::fma})->state == State::uncertain);
  CHECK(find(met, {P::fma})->doubt == "the baseline's interval meets it");
  CHECK(find(met, {P::fma})->knobs.empty());
}

TEST_CASE("the interval of the ceiling counts as well") {
  Machine m = compute_machine();
  m.ceilings[1].rate = around(80, 0.3);  // 2 s: from 1.54 to 2.86
  const std::vector<Step> path{step(2.5), step(1.4)};
  CHECK(find(compute_bound(m).ledger(path), {P::fma})->state == State::uncertain);
  const std::vector<Step> far{step(40), step(1.6)};
  CHECK(find(compute_bound(m).ledger(far), {P::fma})->state == State::uncertain);
}

TEST_CASE("limits faster than the bound are not listed") {
  // Memory takes 100 s: no core ceiling can be reached.
  Machine m = compute_machine();
  m.ceilings.push_back(stream("DRAM load 2t", "DRAM", 1, 10, 2, {P::tlp}));
  const auto entries = Roofline{flops(160), moved(1000, 0), m, 2}.ledger({step(300), step(120)});
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].ceiling == "DRAM load 2t");
  CHECK(entries[0].kind == Kind::bandwidth);
}

TEST_CASE("bandwidth ceilings name what they lack, and what does not pay is no ceiling") {
  Machine m = plain_machine();
  const Paradigms good{P::unit_stride, P::prefetch, P::tlp};
  const auto with = [&](Paradigms more) {
    more.insert(good.begin(), good.end());
    return more;
  };
  m.ceilings = {stream("copy nt huge", "DRAM", 0.5, 20, 2, with({P::nt_store, P::huge_pages})),
                stream("copy nt", "DRAM", 0.5, 20.5, 2, with({P::nt_store})),
                stream("copy", "DRAM", 0.5, 13, 2, good),
                stream("copy 1t", "DRAM", 0.5, 8, 1, {P::unit_stride, P::prefetch}),
                stream("random", "DRAM", 1, 2, 2, {P::tlp}, "random"),
                stream("load", "DRAM", 1, 40, 2, good)};
  // The load demonstrates more than the copies, but at another mix.
  const auto entries = Roofline{Work{}, moved(20, 20), m, 2}.ledger({step(100), step(2.05)});
  REQUIRE(find(entries, {}));
  CHECK(find(entries, {})->ceiling == "copy nt");
  REQUIRE(find(entries, {P::nt_store}));
  CHECK(find(entries, {P::nt_store})->ceiling == "copy");
  // No count says that this code walks at random.
  CHECK(find(entries, {P::prefetch, P::unit_stride}) == nullptr);
  REQUIRE(find(entries, {P::nt_store, P::tlp}));
  CHECK(find(entries, {P::nt_store, P::tlp})->time.value() == Approx(5));
  for (const auto& entry : entries) CHECK_FALSE(entry.lacks.contains(P::huge_pages));
}

TEST_CASE("walls are traffic at the best rate of their level") {
  Traffic traffic = moved(20, 10);
  traffic.walls = {{"write allocate", P::nt_store, "DRAM", Bytes(30), Bytes(10)},
                   {"no reuse", P::capacity, "", Bytes(80), Bytes(10)},
                   {"same as least", P::compulsory, "DRAM", Bytes(20), Bytes(10)}};
  const Step::Change streaming{"nt_store", "false", "true", {P::nt_store}};
  const auto entries = Roofline{Work{}, traffic, plain_machine(), 1}.ledger(
      {step(20), step(5), step(3.2, {streaming})});
  REQUIRE(entries.size() == 3);
  CHECK(entries[0].wall == "no reuse");
  CHECK(entries[0].level == "DRAM");
  CHECK(entries[0].ceiling == "DRAM");
  CHECK(entries[0].time.value() == Approx(9));
  CHECK(entries[1].lacks == Paradigms{P::nt_store});
  CHECK(entries[1].kind == Kind::wall);
  CHECK(entries[1].state == State::broken);
  CHECK(entries[1].knobs == Changes{streaming});
  CHECK(entries[2].lacks.empty());
}

TEST_CASE("a wall inside a cache is priced at the cache") {
  Machine m = plain_machine();
  m.levels = {{"L1", 100.0, {}, 1}, {"DRAM", {}, {}, 1}};
  m.ceilings.push_back(stream("L1", "L1", 1, 50));
  Traffic traffic = moved(20, 10);
  traffic.walls = {{"no reuse", P::capacity, "", Bytes(80), Bytes(10)}};
  const auto entries = Roofline{Work{}, traffic, m, 1}.ledger({step(20)});
  REQUIRE(find(entries, {P::capacity}));
  CHECK(find(entries, {P::capacity})->time.value() == Approx(90 / 50.0));
}

TEST_CASE("an empty path has no ledger, and a lone baseline breaks nothing") {
  CHECK(compute_bound().ledger({}).empty());
  for (const auto& entry : compute_bound().ledger({step(40)})) CHECK(entry.state == State::above);
}

TEST_CASE("the knob whose setting back brings a ceiling back is what broke it, whatever the path") {
  // 2 s without fma, 8 without simd. The search crossed both with one step that changed threads.
  const std::vector<Step> path{step(40), step(1.5, {threads})};
  Attribution known;
  known.set_back = {
      {wider, {9, 8.9, 9.1}}, {contracted, {2.5, 2.4, 2.6}}, {threads, {1.5, 1.4, 1.6}}};
  const auto entries = compute_bound().ledger(path, known);
  const LedgerEntry* simd = find(entries, {P::simd});
  REQUIRE(simd);
  CHECK(simd->evidence == LedgerEntry::Evidence::ablation);
  CHECK(simd->knobs == Changes{wider});
  REQUIRE(simd->set_back.size() == 1);
  CHECK(simd->set_back[0].value == Approx(9));
  const LedgerEntry* fma = find(entries, {P::fma});
  CHECK(fma->knobs == Changes{contracted});
  // None alone brings 16 s back, and the two were not set back together.
  const LedgerEntry* both = find(entries, {P::fma, P::simd});
  CHECK(both->evidence == LedgerEntry::Evidence::none);
  CHECK(both->knobs.empty());
}

TEST_CASE("a limit of code without what this code has is neither broken nor ahead") {
  Attribution known;
  known.baseline_has = {P::fma};
  const auto broken = compute_bound().ledger({step(40), step(1.5)}, known);
  CHECK(find(broken, {P::fma}) == nullptr);
  CHECK(find(broken, {P::simd}) != nullptr);
  known = {};
  known.best_has = {P::simd};
  const auto ahead = compute_bound().ledger({step(40), step(10)}, known);
  CHECK(find(ahead, {P::simd}) == nullptr);
  CHECK(find(ahead, {P::fma}) != nullptr);
}

TEST_CASE("a knob that was set back without any effect is not credited for a step of the search") {
  const std::vector<Step> path{step(3), step(1.5, {contracted})};
  Attribution known;
  known.set_back = {{contracted, {1.5, 1.4, 1.6}}};
  const auto entries = compute_bound().ledger(path, known);
  CHECK(find(entries, {P::fma})->evidence == LedgerEntry::Evidence::none);
  CHECK(find(entries, {P::fma})->knobs.empty());
  CHECK(find(compute_bound().ledger(path), {P::fma})->evidence == LedgerEntry::Evidence::search);
}

TEST_CASE("nothing is called broken while baseline and best cannot be told apart") {
  const std::vector<Step> path{step(3), step(1.5, {threads})};
  Attribution known;
  known.doubt = "the race cannot tell them apart";
  const auto entries = compute_bound().ledger(path, known);
  REQUIRE(find(entries, {P::fma}));
  CHECK(find(entries, {P::fma})->state == State::uncertain);
  CHECK(find(entries, {P::fma})->doubt == known.doubt);
}
