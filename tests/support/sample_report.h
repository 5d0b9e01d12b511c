// A finished study as the session would hand it to the report: 60 trials, several outcomes, a
// staircase of four steps, a tie, a collapsed knob. For tests only; deterministic, figures made up
// but of the right order.
#pragma once
#include <algorithm>
#include <array>
#include <limits>

#include "core/rng.h"
#include "study/result.h"
#include "support/sample_machine.h"

namespace rooftune::sample {

inline Knob knob(const std::string& name, Knob::Kind kind, std::vector<Value> values,
                 std::vector<Paradigm> breaks, const std::string& doc) {
  Knob k;
  k.name = name;
  k.kind = kind;
  k.fallback = values.front();
  k.values = std::move(values);
  k.breaks = std::move(breaks);
  k.doc = doc;
  return k;
}

inline std::vector<Knob> knobs() {
  using Kind = Knob::Kind;
  using P = Paradigm;
  std::vector<Knob> all{
      knob("format", Kind::compile, {"csr", "bcsr", "sell"}, {P::compulsory, P::simd},
           "storage format"),
      knob("index_bits", Kind::compile, {32, 16}, {P::compulsory}, "width of the column indices"),
      knob("prefetch", Kind::compile, {0, 8, 32}, {P::prefetch},
           "software prefetch distance [elements]"),
      knob("simd_width", Kind::compile, {1, 2, 4, 8}, {P::simd, P::ilp},
           "vector length [elements]"),
      knob("huge_pages", Kind::memory, {false, true}, {P::huge_pages, P::tlb},
           "2 MiB pages for arrays"),
      knob("numa_policy", Kind::memory, {"local"}, {P::numa}, "where pages live"),
      knob("threads", Kind::openmp, {1, 2}, {P::tlp}, "OpenMP threads")};
  all[5].setting = "numa_policy";
  all[5].collapsed = "this machine has one NUMA node";
  return all;
}

inline Configuration configuration(const std::string& format, int index_bits, int prefetch,
                                   int simd, bool huge, int threads) {
  Configuration c;
  c.set("format", format);
  c.set("index_bits", index_bits);
  c.set("prefetch", prefetch);
  c.set("simd_width", simd);
  c.set("huge_pages", huge);
  c.set("numa_policy", "local");
  c.set("threads", threads);
  return c;
}

inline Trial trial(std::uint64_t index, Configuration configuration, double seconds) {
  Trial t;
  t.index = index;
  t.configuration = std::move(configuration);
  t.outcome = Outcome::ok;
  t.cost = {0.62, 0.11, 0.35, 1.1, 0.62};
  t.started = fmt::format("2026-11-21T10:{:02}:{:02}Z", index / 60, index % 60);
  t.artefact = fmt::format("{:032x}", 0xabcdefu * (index + 1));
  Measurement m;
  m.repeats = 1;
  m.seconds = {seconds, seconds * 0.992, seconds * 1.011};
  m.best = seconds * 0.985;
  m.median = seconds * 1.006;
  m.samples = {{seconds, 1, 0}, {seconds * 1.01, 1, 0}, {seconds * 0.985, 1, 0}};
  m.max_error = 3e-16;
  t.measurement = m;
  return t;
}

/// The path: where a search would find its improvements.
inline std::vector<std::pair<std::uint64_t, Trial>> improvements() {
  std::vector<std::pair<std::uint64_t, Trial>> all;
  const auto add = [&](std::uint64_t i, Configuration c, double seconds) {
    all.emplace_back(i, trial(i, std::move(c), seconds));
  };
  add(0, configuration("csr", 32, 0, 1, false, 1), 9.62e-3);
  add(3, configuration("csr", 32, 0, 1, false, 2), 5.05e-3);
  add(9, configuration("csr", 32, 8, 1, false, 2), 4.31e-3);
  add(14, configuration("csr", 16, 8, 4, false, 2), 3.52e-3);
  add(27, configuration("bcsr", 16, 8, 4, false, 2), 2.74e-3);
  add(46, configuration("bcsr", 16, 8, 8, true, 2), 2.47e-3);
  return all;
}

inline Trial failed(std::uint64_t index, Configuration configuration, Outcome outcome,
                    const std::string& detail) {
  Trial t = trial(index, std::move(configuration), 1);
  t.outcome = outcome;
  t.detail = detail;
  t.measurement.reset();
  t.cost.time = 0;
  return t;
}

inline Trial filler(std::uint64_t index, double slowest) {
  Rng rng(7, index);
  const std::array<const char*, 3> formats{"csr", "bcsr", "sell"};
  // One after the other: compilers draw the arguments of a call in different orders.
  const int threads = rng.below(4) ? 2 : 1;
  const bool huge = rng.below(2) == 1;
  const int width = 1 << rng.below(4), prefetch = rng.below(2) ? 8 : 32;
  const int bits = rng.below(2) ? 16 : 32;
  const Configuration c =
      configuration(formats[rng.below(3)], bits, prefetch, width, huge, threads);
  switch (index) {
    case 5:
      return failed(index, c, Outcome::build_failed,
                    "openmp.cpp:41:12: error: 'vec8' was not declared");
    case 19:
      return failed(index, c, Outcome::wrong_result,
                    "y[17]: 3.25 instead of 3.5 (tolerance 1e-13)");
    case 31:
      return failed(index, c, Outcome::timed_out, "no answer after 5.0 s, 20 times the incumbent");
    case 38:
      return failed(index, c, Outcome::crashed, "signal 11 (SIGSEGV) in the kernel");
    case 52:
      return failed(index, c, Outcome::pruned, "its bound 2.9 ms exceeds the incumbent");
    default:
      return trial(index, c, slowest * (1.03 + 0.9 * rng.unit()));
  }
}

inline void add_trials(StudyResult& report) {
  const auto steps = improvements();
  double best = std::numeric_limits<double>::infinity();
  for (std::uint64_t i = 0; i < 60; ++i) {
    const auto step =
        std::find_if(steps.begin(), steps.end(), [&](const auto& s) { return s.first == i; });
    report.trials.push_back(step != steps.end() ? step->second : filler(i, best));
    if (step != steps.end()) best = step->second.measurement->seconds.value;
    report.cost += report.trials.back().cost;
  }
}

/// `seconds`: of the final race, when they differ from those of the trial.
inline Contender contender(const StudyResult& report, std::uint64_t index,
                           std::optional<Estimate> seconds = {}) {
  const Trial& t = *find_trial(report, index);
  Contender c;
  c.configuration = t.configuration;
  c.trial = index;
  c.seconds = seconds.value_or(t.measurement->seconds);
  const double bound = report.bound.time.value();
  c.gap.total = {c.seconds.value / bound, c.seconds.low / report.bound.high.value(),
                 c.seconds.high / report.bound.low.value()};
  c.gap.unknown_because = "this machine has no performance counters";
  return c;
}

/// `change`: what broke it.
inline Step::Change change(const std::string& knob, Value from, Value to) {
  return {knob, std::move(from), std::move(to), {}};
}

/// `broken_by`, `passed_by`: steps of the staircase; nullopt: it is still ahead.
inline LedgerEntry entry(LedgerEntry::Kind kind, const std::string& level,
                         const std::string& ceiling, Paradigms lacks, double seconds,
                         std::optional<std::size_t> broken_by = {},
                         std::optional<std::size_t> passed_by = {}) {
  LedgerEntry e;
  e.kind = kind;
  e.level = level;
  e.ceiling = ceiling;
  e.lacks = std::move(lacks);
  e.time = e.beside = Seconds(seconds);
  e.broken_by = broken_by;
  e.passed_by = passed_by ? passed_by : broken_by;
  return e;
}

inline LedgerEntry named(LedgerEntry entry, const std::string& wall) {
  entry.wall = wall;
  return entry;
}

inline std::vector<LedgerEntry> ledger() {
  using Kind = LedgerEntry::Kind;
  using P = Paradigm;
  return {entry(Kind::in_core, "fp64", "fp64 fma scalar ilp1 1t", {P::tlp}, 5.6e-3, 1),
          entry(Kind::bandwidth, "DRAM", "DRAM store 1t", {P::huge_pages, P::nt_store, P::tlp},
                5.21e-3, 1),
          entry(Kind::bandwidth, "DRAM", "DRAM load 1t", {P::huge_pages, P::tlp}, 4.44e-3, {}, 2),
          named(entry(Kind::wall, "DRAM", "DRAM load huge 2t", {P::compulsory}, 3.02e-3, 3),
                "CSR with 32-bit indices"),
          named(entry(Kind::wall, "DRAM", "DRAM load huge 2t", {P::capacity}, 2.46e-3),
                "x is read again by every block"),
          entry(Kind::bandwidth, "DRAM", "DRAM load 2t", {P::huge_pages}, 2.11e-3),
          entry(Kind::bandwidth, "DRAM", "DRAM load huge 2t", {}, 2.013e-3)};
}

inline void add_model(StudyResult& report) {
  report.roofline.work.least["fp64"] = Flops(1e7);
  report.roofline.work.nominal = Flops(1e7);
  report.roofline.work.items = 5e6;
  report.roofline.work.item = "nonzero";
  report.roofline.traffic.read = Bytes(1.02e8);
  report.roofline.traffic.write = Bytes(4e6);
  report.roofline.traffic.footprint = Bytes(1.06e8);
  report.roofline.traffic.walls = {
      {"CSR with 32-bit indices", Paradigm::compulsory, "DRAM", Bytes(1.36e8), Bytes(4e6)},
      {"x is read again by every block", Paradigm::capacity, "DRAM", Bytes(1.17e8), Bytes(4e6)}};
  const Ceiling& roof = *std::find_if(
      report.roofline.machine.ceilings.begin(), report.roofline.machine.ceilings.end(),
      [](const Ceiling& c) { return c.name == "DRAM load huge 2t"; });
  const double bytes = 1.02e8 - 33554432;
  report.bound.time = Seconds(bytes / roof.rate.value);
  report.bound.low = Seconds(bytes / roof.rate.high);
  report.bound.high = Seconds(bytes / roof.rate.low);
  report.bound.ceiling = roof.name;
  report.bound.source = roof.source;
  report.bound.parts = {
      {"fp64 fma 512 ilp12 2t", "fp64", Seconds(4.6e-5), Seconds(4.59e-5), Seconds(4.62e-5)},
      {"L3 load 2t", "L3", Seconds(1.16e-3), Seconds(1.15e-3), Seconds(1.18e-3)},
      {roof.name, "DRAM", report.bound.time, report.bound.low, report.bound.high}};
  report.bound.reached = {"DRAM triad huge 2t", "DRAM", Seconds(2.1e-3), Seconds(2.0e-3),
                          Seconds(2.2e-3)};
  report.space_bound = {{roof.name, "DRAM", Seconds(3.0e-3), Seconds(2.9e-3), Seconds(3.1e-3)},
                        "DRAM traffic of 96.7 MiB (values and columns as stored) with at most 2 "
                        "threads at \"DRAM load huge 2t\""};
}

inline void add_identity(StudyResult& report) {
  StudyHeader& study = report.header;
  StudySetup& setup = report.setup;
  study.id = "9a8b7c6d5e4f30211203f4e5d6c7b8a9";
  study.kernel = "spmv";
  study.backend = "openmp";
  study.machine = report.roofline.machine.name;
  study.machine_id = report.roofline.machine.id;
  study.threads = 2;
  study.strategy = "local";
  study.cache_state = "warm";
  setup.version = "0.1.0";
  setup.title = "Sparse matrix-vector product y = A x";
  setup.compiler = "g++ 12.2.0";
  setup.revision = "0123456789ab";
  setup.command = {"tune", "--kernel", "spmv", "--machine", "sample", "--budget", "60"};
  report.place = "results/records/spmv.openmp.9a8b7c6d/20261121T100000Z.sample-host.4711.jsonl";
  report.date = "2026-11-21T10:01:06Z";
  report.roofline.threads = 2;
  report.problem = {{"generator", "fem"}, {"n", 120000}};
  report.facts = {{"rows", 120000}, {"cols", 120000}, {"nnz", 5000000}};
}

/// The next stair: its changes of the one before, and what they were worth.
inline void add_stair(Staircase& staircase, Configuration configuration, double seconds,
                      std::vector<Amount> because) {
  Stair stair;
  stair.configuration = std::move(configuration);
  stair.seconds = within(seconds, 0.01);
  stair.rounds = 12;
  stair.because = std::move(because);
  if (!staircase.stairs.empty()) {
    const Stair& before = staircase.stairs.back();
    for (const Knob& k : knobs())
      if (!(before.configuration.at(k.name) == stair.configuration.at(k.name)))
        stair.changes.push_back(
            {k.name, before.configuration.at(k.name), stair.configuration.at(k.name), k.breaks});
    stair.gain = within(before.seconds->value / seconds, 0.015);
  }
  staircase.stairs.push_back(std::move(stair));
}

/// Four steps; three of them broke something.
inline void add_staircase(StudyResult& report) {
  Staircase staircase;
  staircase.rounds = 12;
  add_stair(staircase, report.baseline->configuration, 9.61e-3, {});
  Counts counted;
  counted.traffic["DRAM"] = {Estimate::exact(1.4e8), Estimate::exact(4e6), {}};
  staircase.stairs[0].counts = counted;
  staircase.stairs[0].limit = limit(counted, report.roofline, *staircase.stairs[0].seconds);
  add_stair(staircase, configuration("csr", 32, 0, 1, false, 2), 5.05e-3,
            {{"threads", "thread", 1, 2}});
  add_stair(staircase, configuration("csr", 32, 8, 1, false, 2), 4.31e-3,
            {{"memory", "B/s", 2.85e10, 3.34e10}});
  add_stair(staircase, configuration("bcsr", 16, 8, 1, false, 2), 2.72e-3,
            {{"memory traffic", "B", 1.44e8, 8.8e7}, {"arithmetic", "flop", 1e7, 1.15e7}});
  add_stair(staircase, report.best->configuration, 2.47e-3,
            {{"operations in vectors", "%", 8, 100}});
  for (LedgerEntry& entry : report.ledger) {
    if (entry.broken_by)
      for (const Step::Change& change : staircase.stairs[*entry.broken_by].changes)
        if (can_add(change, entry.lacks)) entry.knobs.push_back(change.knob);
    if (entry.passed_by) staircase.stairs[*entry.passed_by].passed.push_back(entry);
  }
  report.staircase = std::move(staircase);
}

/// Memory is the limit.
inline void add_limit(StudyResult& report) {
  const double seconds = report.best->seconds.value;
  const auto part = [&](const char* name, const std::string& unit, double amount, double share) {
    return BusyPart{name, within(share, 0.03), amount, unit, amount / share / seconds, "", {}};
  };
  report.limit = Limit{{part("memory", "B", 8.8e7, 0.93), part("L3", "B", 8.9e7, 0.3),
                        part("arithmetic", "flop", 1.15e7, 0.02)},
                       std::nullopt,
                       {}};
}

inline StudyResult report() {
  StudyResult r;
  r.roofline.machine = machine();
  add_identity(r);
  add_model(r);
  r.space = {knobs(), 288, 216};
  add_trials(r);
  r.baseline = contender(r, 0);
  r.best = contender(r, 46);
  r.ties = {contender(r, 27, Estimate{2.49e-3, 2.45e-3, 2.53e-3})};
  r.speedup = Estimate{3.89, 3.81, 3.95};
  r.race_rounds = 12;
  r.ledger = ledger();
  add_staircase(r);
  add_limit(r);
  r.waited = 81;
  r.stop = {StopReason::budget, "the budget of 60 evaluations is spent", ""};
  r.notes = {"least traffic counts every matrix entry once in the smallest format of the space"};
  return r;
}

}  // namespace rooftune::sample
