
#include <catch2/catch.hpp>

#include "roofline/roofline.h"
#include "support/machine_builder.h"

using namespace rooftune;
using namespace rooftune::test;
using Kind = LedgerEntry::Kind;
using P = Paradigm;

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

/// Counted operations of a stair: the least.
const NamedNumbers done{{"fp64", 160}};
const Step::Change wider{"simd_width", "1", "8", {P::simd}};
const Step::Change contracted{"contract", "off", "on", {P::fma}};
const Step::Change threads{"threads", "1", "2", {P::tlp}};

}  // namespace

TEST_CASE("a ceiling belongs to the stair whose change brought what it lacks") {
  // 160 flops: 1 s at the peak, 2 s without fma, 8 without simd, 16 with one thread.
  Machine m = compute_machine();
  m.ceilings.push_back(core_ceiling("wide fma 1t", 10, 1, {P::simd, P::fma}));
  const std::vector<Step> stairs{step(40), step(12, {threads}), step(3, {contracted}),
                                 step(1.5, {wider})};
  const auto entries = compute_bound(m).ledger(stairs);
  const LedgerEntry* tlp = find(entries, {P::tlp});
  REQUIRE(tlp);
  CHECK(tlp->kind == Kind::in_core);
  CHECK(tlp->level == "fp64");
  CHECK(tlp->ceiling == "wide fma 1t");
  CHECK(tlp->time.value() == Approx(16));
  CHECK(tlp->passed_by == 1u);
  CHECK(tlp->broken_by == 1u);
  CHECK(tlp->knobs == Texts{"threads"});
  const LedgerEntry* simd = find(entries, {P::simd});
  REQUIRE(simd);
  // It was passed without vectors of its own: no change up to there brought them.
  CHECK(simd->ceiling == "narrow fma 2t");
  CHECK(simd->passed_by == 2u);
  CHECK_FALSE(simd->broken_by);
  // The last stair is the first below 2 s, and the one before brought fused operations.
  const LedgerEntry* fma = find(entries, {P::fma});
  REQUIRE(fma);
  CHECK(fma->passed_by == 3u);
  // Nothing tells whether that step had what the line lacks.
  CHECK_FALSE(fma->broken_by);
  const LedgerEntry* roof = find(entries, {});
  REQUIRE(roof);
  CHECK(roof->ceiling == "wide fma 2t");
  CHECK_FALSE(roof->passed_by);
  CHECK_FALSE(roof->broken_by);
  // One lack at a time: nobody reads "without fma, simd and threads".
  for (const LedgerEntry& entry : entries) CHECK(entry.lacks.size() <= 1);
}

TEST_CASE("a step whose knobs name other paradigms is credited with nothing") {
  const auto entries = compute_bound().ledger({step(3), step(1.5, {threads, wider})});
  const LedgerEntry* fma = find(entries, {P::fma});
  REQUIRE(fma);
  CHECK(fma->passed_by == 1u);
  CHECK_FALSE(fma->broken_by);
}

TEST_CASE("code is behind a ceiling by the operations that it does") {
  // Without vectors the least takes 8 s; the first two stairs do three times as much.
  const std::vector<Step> stairs{step(40), step(12, {wider}), step(1.5, {contracted})};
  StairEvidence evidence;
  evidence.flops = {{{"fp64", 480}}, {{"fp64", 480}}, done};
  evidence.has = {{}, {P::simd}, {P::simd}};
  const auto entry = [&] { return *find(compute_bound().ledger(stairs, evidence), {P::simd}); };
  CHECK(entry().passed_by == 1u);
  CHECK(entry().broken_by == 1u);
  CHECK(entry().time.value() == Approx(8));
  CHECK(entry().beside.value() == Approx(24));
  // An uncounted stair may do as little as another: 12 s are above the 8 of the least.
  evidence.flops[1].clear();
  CHECK(entry().passed_by == 2u);
}

TEST_CASE("a ceiling is not broken by a knob that a later step takes back") {
  const Step::Change narrower{"simd_width", "8", "1", {P::simd}};
  const auto broken_by = [](const Changes& last) {
    const std::vector<Step> stairs{step(40), step(3, {wider, threads}), step(1.5, last)};
    const auto ledger = compute_bound().ledger(stairs);
    return find(ledger, {P::simd})->broken_by;
  };
  CHECK(broken_by({contracted}) == 1u);
  const std::vector<Step> together{step(40), step(1.5, {wider, threads})};
  const auto ledger = compute_bound().ledger(together);
  CHECK(find(ledger, {P::simd})->knobs == Texts{"simd_width"});
  CHECK_FALSE(broken_by({contracted, narrower}));
}

TEST_CASE("counts that contradict a knob's words credit nobody") {
  const std::vector<Step> stairs{step(40), step(1.5, {wider})};
  StairEvidence evidence;
  evidence.has = {{}, {}};
  evidence.flops = {done, done};
  CHECK_FALSE(find(compute_bound().ledger(stairs, evidence), {P::simd})->broken_by);
  evidence.has = {{}, {P::simd}};
  CHECK(find(compute_bound().ledger(stairs, evidence), {P::simd})->broken_by == 1u);
  evidence.flops = {done, {}};
  evidence.has = {{}, {}};
  CHECK(find(compute_bound().ledger(stairs, evidence), {P::simd})->broken_by == 1u);
}

TEST_CASE("counts tell which step broke a ceiling that a later one passes") {
  const Step::Change silent{"formula", 0, 1, {}};
  const std::vector<Step> stairs{step(40), step(30, {silent}), step(1.5, {wider})};
  StairEvidence evidence;
  evidence.has = {{}, {P::simd}, {P::simd}};
  evidence.flops = {done, done, done};
  const auto entry = [&] { return *find(compute_bound().ledger(stairs, evidence), {P::simd}); };
  CHECK(entry().passed_by == 2u);
  CHECK(entry().broken_by == 1u);
  // Between two counted stairs it may be either: then the one that declares it.
  evidence.has = {{}, {}, {P::simd}};
  evidence.flops = {done, {}, done};
  CHECK(entry().broken_by == 2u);
  evidence.flops = {{}, done, done};
  evidence.has = {{}, {P::simd}, {P::simd}};
  CHECK_FALSE(entry().broken_by);
}

TEST_CASE("of several uncounted steps that declare it, the one that gained most broke a ceiling") {
  const Step::Change also{"formula", 0, 1, {P::simd}};
  const auto broken_by = [&](double between) {
    const std::vector<Step> stairs{step(40), step(between, {wider}), step(1.5, {also})};
    StairEvidence evidence;
    evidence.has = {{}, {}, {P::simd}};
    evidence.flops = {done, {}, done};
    return find(compute_bound().ledger(stairs, evidence), {P::simd})->broken_by;
  };
  CHECK(broken_by(9) == 2u);
  CHECK(broken_by(2.1) == 1u);
}

TEST_CASE("lines allocated by stores tell of the wall of write allocation") {
  Traffic traffic = moved(20, 10);
  traffic.walls = {{"write allocate", P::write_allocate, "DRAM", Bytes(30), Bytes(10)}};
  const Step::Change streaming{"nt_store", false, true, {P::nt_store, P::write_allocate}};
  const std::vector<Step> stairs{step(20), step(3.2, {streaming})};
  StairEvidence evidence;
  evidence.moved.resize(2);
  for (TrafficByLevel& moved : evidence.moved) moved["DRAM"] = {Bytes(60), Bytes(0), Bytes(0)};
  evidence.flops = {done, done};
  evidence.has = {{}, {P::write_allocate}};
  const auto find_wall = [&] {
    const auto entries = Roofline{Work{}, traffic, plain_machine(), 1}.ledger(stairs, evidence);
    const LedgerEntry* found = find(entries, {P::write_allocate});
    return found ? std::optional(*found) : std::nullopt;
  };
  REQUIRE(find_wall());
  CHECK(find_wall()->broken_by == 1u);
  evidence.has = {{}, {}};
  CHECK_FALSE(find_wall());
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

TEST_CASE("what ran beside the stairs decides where the machine moved") {
  Machine m = compute_machine();
  for (Ceiling& ceiling : m.ceilings) ceiling.rate.low = 0.4 * ceiling.rate.value;
  const std::vector<Step> stairs{step(7), step(2.3, {contracted})};
  const auto fma = [&](const StairEvidence& evidence) {
    const auto entries = compute_bound(m).ledger(stairs, evidence);
    const LedgerEntry* found = find(entries, {P::fma});
    REQUIRE(found);
    return *found;
  };
  CHECK_FALSE(fma({}).passed_by);
  CHECK_FALSE(fma({}).paired);
  // Both took 1.8 times as long as on a quiet machine, and so did the ceiling: 2 s without fma.
  const auto both = [](const Estimate& whole, const Estimate& half) {
    return std::vector<Scaled>{{{3.9, 3.8, 4.0}, {5.2, 5.1, 5.3}}, {whole, half}};
  };
  StairEvidence evidence;
  evidence.beside["wide add 2t"] = both({1.3, 1.25, 1.35}, {1.73, 1.7, 1.75});
  CHECK(fma(evidence).passed_by == 1u);
  CHECK(fma(evidence).broken_by == 1u);
  CHECK(fma(evidence).paired);
  // Had they waited for it by half only, the best would be behind it.
  evidence.beside["wide add 2t"] = both({1.8, 1.75, 1.79}, {2.03, 2.0, 2.06});
  CHECK_FALSE(fma(evidence).passed_by);
  evidence.beside["wide add 2t"] = both({2.3, 2.2, 2.4}, {2.3, 2.2, 2.4});
  CHECK_FALSE(fma(evidence).passed_by);
}

TEST_CASE("a wall is passed only by who moved less than it, from behind it") {
  Traffic traffic = moved(20, 10);
  traffic.walls = {{"write allocate", P::nt_store, "DRAM", Bytes(30), Bytes(10)}};
  const Step::Change streaming{"nt_store", false, true, {P::nt_store}};
  const std::vector<Step> stairs{step(20), step(3.2, {streaming})};
  const auto entry = [&](double baseline, double best) {
    StairEvidence evidence;
    evidence.moved.resize(2);
    evidence.moved[0]["DRAM"] = {Bytes(baseline), Bytes(0), Bytes(0)};
    evidence.moved[1]["DRAM"] = {Bytes(best), Bytes(0), Bytes(0)};
    const auto entries = Roofline{Work{}, traffic, plain_machine(), 1}.ledger(stairs, evidence);
    const LedgerEntry* found = find(entries, {P::nt_store});
    return found ? std::optional(*found) : std::nullopt;
  };
  REQUIRE(entry(40, 30));
  CHECK(entry(40, 30)->passed_by == 1u);
  CHECK(entry(40, 30)->broken_by == 1u);
  CHECK(entry(40, 40)->broken_by == 1u);
  CHECK_FALSE(entry(40, 45));
  CHECK_FALSE(entry(30, 30));
}

TEST_CASE("counted bytes put a stair in front of a wall, however slow it is") {
  Traffic traffic = moved(20, 10);
  traffic.walls = {{"write allocate", P::nt_store, "DRAM", Bytes(30), Bytes(10)}};  // 4 s
  const Step::Change streaming{"nt_store", false, true, {P::nt_store}};
  const auto passed = [&](const Estimate& best, double bytes) {
    StairEvidence evidence;
    evidence.moved.resize(2);
    evidence.moved[0]["DRAM"] = {Bytes(40), Bytes(0), Bytes(0)};
    evidence.moved[1]["DRAM"] = {Bytes(bytes), Bytes(0), Bytes(0)};
    const auto entries = Roofline{Work{}, traffic, plain_machine(), 1}.ledger(
        {step(20), {best, {streaming}}}, evidence);
    const LedgerEntry* found = find(entries, {P::nt_store});
    return found && found->passed_by;
  };
  const Estimate open{3.9, 3.5, 4.5}, slower{5, 4.8, 5.2};
  CHECK(passed(open, 30));
  CHECK_FALSE(passed(open, 40));
  CHECK(passed(slower, 30));
  CHECK_FALSE(passed(open, 39));
  CHECK_FALSE(passed(slower, 40));
}

TEST_CASE("a line without a roof of its own moved as another one of its level did") {
  Machine m = plain_machine();
  m.ceilings = {stream("DRAM load", "DRAM", 1, 10), stream("DRAM copy", "DRAM", 0.5, 10)};
  Traffic traffic = moved(10, 10);
  traffic.walls = {{"no reuse", P::capacity, "DRAM", Bytes(40), Bytes(0)}};  // 4 s of loads
  StairEvidence evidence;
  evidence.beside["DRAM copy"] = {{{9, 8.9, 9.1}, {10, 9.9, 10.1}},
                                  {{3, 2.9, 3.1}, {3.5, 3.4, 3.6}}};
  const auto wall = [&](const StairEvidence& known) {
    const auto entries = Roofline{Work{}, traffic, m, 1}.ledger({step(12), step(4)}, known);
    const LedgerEntry* found = find(entries, {P::capacity});
    REQUIRE(found);
    return *found;
  };
  CHECK_FALSE(wall({}).passed_by);
  CHECK(wall(evidence).passed_by == 1u);
  CHECK(wall(evidence).paired);
  CHECK(wall(evidence).beside.value() == Approx(4 * 4 / 3.0));
  CHECK(wall({}).beside.value() == Approx(4));
}

TEST_CASE("ceilings that the baseline already exceeds are left out") {
  const auto entries = compute_bound().ledger({step(3), step(1.5)});
  CHECK(find(entries, {P::fma}));
  CHECK_FALSE(find(entries, {P::simd}));
}

TEST_CASE("nothing is passed where an interval meets the ceiling") {
  const auto met_by_best = compute_bound().ledger({step(40), step(2)});
  REQUIRE(find(met_by_best, {P::fma}));
  CHECK_FALSE(find(met_by_best, {P::fma})->passed_by);
  CHECK_FALSE(find(compute_bound().ledger({step(2), step(1.5)}), {P::fma}));
  Machine m = compute_machine();
  m.ceilings[1].rate = around(80, 0.3);  // 2 s: from 1.54 to 2.86
  const auto wide = compute_bound(m).ledger({step(40), step(1.6)});
  REQUIRE(find(wide, {P::fma}));
  CHECK_FALSE(find(wide, {P::fma})->passed_by);
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
  CHECK(entries[1].broken_by == 2u);
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
  for (const auto& entry : compute_bound().ledger({step(40)})) CHECK_FALSE(entry.passed_by);
}

TEST_CASE("a limit of code without what this code has is neither passed nor ahead") {
  StairEvidence evidence;
  evidence.has = {{P::fma}, {}};
  const auto passed = compute_bound().ledger({step(40), step(1.5)}, evidence);
  CHECK(find(passed, {P::fma}) == nullptr);
  CHECK(find(passed, {P::simd}) != nullptr);
  evidence.has = {{}, {P::simd}};
  const auto ahead = compute_bound().ledger({step(40), step(10)}, evidence);
  CHECK(find(ahead, {P::simd}) == nullptr);
  CHECK(find(ahead, {P::fma}) != nullptr);
}
