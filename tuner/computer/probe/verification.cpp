// Plain C++ loops independent of the ceilings' kernels, compiled as variants are, and timed at
// sizes of every level; and the repair of bounds that they beat.
#include "probe/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>

#include "build/artefact.h"
#include "build/compilation.h"
#include "core/error.h"
#include "core/file.h"
#include "core/units.h"
#include "core/version.h"
#include "os/dynamic_library.h"
#include "os/temporary_directory.h"
#include "os/topology.h"
#include "probe/bench.h"
#include "probe/clock.h"
#include "probe/plan.h"
#include "probe/self_check.h"
#include "roofline/rates.h"

namespace rooftune::probe {
namespace {

/// The barrier keeps a compiler from merging calls. Sums have partial sums: their additions do not
/// wait for each other.
constexpr const char* loops_text = R"cpp(
#include <cstdint>
#define EXPORT extern "C" __attribute__((visibility("default")))
#define LOOP(NAME, BODY)                                                                    \
    EXPORT void NAME(double* __restrict a, double* __restrict b,                              \
                     const std::int32_t* __restrict at, std::int64_t n, std::int64_t calls) { \
      double part[64] = {};                                                                   \
      for (std::int64_t call = 0; call < calls; ++call) {                                     \
        BODY;                                                                                 \
        asm volatile("" : : "r"(a), "r"(b), "r"(at), "r"(part) : "memory");                   \
      }                                                                                       \
    }
  LOOP(sum,
       for (std::int64_t i = 0; i < n; i += 64) for (int j = 0; j < 64; ++j) part[j] += a[i + j])
  LOOP(dot, for (std::int64_t i = 0; i < n; i += 64) for (int j = 0; j < 64; ++j) part[j] +=
            a[i + j] * b[i + j])
  LOOP(axpy, for (std::int64_t i = 0; i < n; ++i) a[i] += 1e-9 * b[i])
  LOOP(copy, for (std::int64_t i = 0; i < n; ++i) a[i] = b[i])
  LOOP(fill, for (std::int64_t i = 0; i < n; ++i) a[i] = 0.5)
  LOOP(scale, for (std::int64_t i = 0; i < n; ++i) a[i] *= -1)
  LOOP(
      polynomial, for (std::int64_t i = 0; i < n; ++i) {
        const double x = b[i];
        double y = 0.1;
        for (int k = 1; k <= 12; ++k) y = y * x + 0.01 * k;
        a[i] = y;
      })
  LOOP(fma_and_add, {
    double more[64];
    for (int j = 0; j < 64; ++j) more[j] = 0.5;
    for (std::int64_t i = 0; i < n; ++i) {
      const double x = a[i];
      for (int j = 0; j < 64; ++j) {
        part[j] = part[j] * 0.5 + x;
        more[j] += x;
      }
    }
    for (int j = 0; j < 64; ++j) part[j] += more[j];
  })
  LOOP(gather, for (std::int64_t i = 0; i < n; ++i)
                   a[i] = b[at[4 * i]] + b[at[4 * i + 1]] + b[at[4 * i + 2]] + b[at[4 * i + 3]])
)cpp";

/// Least cost of one element.
struct Loop {
  const char* name;
  double flops, read, written, footprint;
  int arrays;  ///< a, and b with two
  bool indices = false;
};
constexpr Loop loops[] = {{"sum", 1, 8, 0, 8, 1},           {"dot", 2, 16, 0, 16, 2},
                          {"axpy", 2, 16, 8, 16, 2},        {"copy", 0, 8, 8, 16, 2},
                          {"fill", 0, 0, 8, 8, 1},          {"scale", 1, 8, 8, 8, 1},
                          {"polynomial", 24, 8, 8, 16, 2},  {"fma_and_add", 192, 8, 0, 8, 1},
                          {"gather", 3, 24, 8, 32, 2, true}};

/// Of doubles, one per element; the indices take as much as two.
std::size_t arrays(const Loop& loop) {
  return loop.indices ? 4 : static_cast<std::size_t>(loop.arrays);
}

constexpr std::int64_t block = 64;   // elements per step of a loop
constexpr std::size_t spare = 8192;  // between two arrays at most
using Function = void (*)(double*, double*, const std::int32_t*, std::int64_t, std::int64_t);

/// One loop on the memory of the team.
class LoopExercise final : public Exercise {
 public:
  LoopExercise(const Loop& loop, Function function, std::int64_t elements, Arena& arena,
               Arena::Kind pages)
      : loop_(loop), function_(function), n_(elements), arena_(arena), pages_(pages) {}

  void prepare(int index) override {
    Memory& own = arena_.memory(pages_, index);
    own.touch(static_cast<std::size_t>(n_) * sizeof(double) * arrays(loop_) + 3 * spare);
    for (std::int64_t i = 0; i < n_; ++i) {
      first(own)[i] = 0.25 + 1e-3 * static_cast<double>(i % 512);
      if (loop_.arrays > 1) second(own)[i] = 0.75 - 1e-3 * static_cast<double>(i % 512);
    }
    if (!loop_.indices) return;
    // neighbours in a grid with rows of a thousand
    for (std::int64_t i = 0; i < n_; ++i)
      for (const auto& [k, step] :
           {std::pair(0, std::int64_t{1}), {1, n_ - 1}, {2, 1000}, {3, n_ + n_ / 2}})
        indices(own)[4 * i + k] = static_cast<std::int32_t>((i + step) % n_);
  }
  void work(int index) override {
    Memory& own = arena_.memory(pages_, index);
    function_(first(own), second(own), indices(own), n_, amount);
  }
  double units() const override { return static_cast<double>(amount); }

 private:
  /// Arrays do not begin at the same offset of a page.
  static constexpr std::size_t shift = 17 * 64;
  double* array(Memory& own, std::size_t k) const {
    const auto bytes = static_cast<std::size_t>(n_) * sizeof(double);
    return reinterpret_cast<double*>(own.begin() + k * ((bytes + 4095) / 4096 * 4096 + shift));
  }
  double* first(Memory& own) const { return array(own, 0); }
  double* second(Memory& own) const { return array(own, 1); }
  std::int32_t* indices(Memory& own) const {
    return reinterpret_cast<std::int32_t*>(array(own, 2));
  }

  Loop loop_;
  Function function_;
  std::int64_t n_;
  Arena& arena_;
  Arena::Kind pages_;
};

DynamicLibrary compiled(const TemporaryDirectory& folder) {
  const HostCompiler compiler = host_compiler();
  std::vector<std::string> flags = compiler.flags;
  flags.insert(flags.end(), {"-ffast-math", "-funroll-loops"});
  if (cpu_features().simd_bits >= 512) flags.emplace_back("-mprefer-vector-width=512");
  write_plainly(folder.path() / "shim.cpp", loops_text);
  Artefact artefact;
  compile(commands(compiler.path, flags, {}, folder.path(), 120), folder.path(), {}, artefact);
  if (!artefact.error.empty())
    throw Error("the loops cannot be compiled: " + artefact.error, compiler.path,
                "another compiler: ROOFTUNE_CXX", ExitCode::unavailable);
  return DynamicLibrary(folder.path() / library_file);
}

/// Bytes of all threads together, at most `limit`: well within each level, at its edge, and beyond
/// all caches.
std::vector<std::pair<std::string, double>> sizes(const Machine& machine, int threads,
                                                  double limit) {
  std::vector<std::pair<std::string, double>> result;
  double inside = 0;
  for (const MemoryLevel& level : machine.levels) {
    const double share = std::min(1.0, static_cast<double>(threads) / level.instances);
    const double all = Machine::most_held(level) * level.instances * share;
    if (std::isinf(all)) {
      for (const double bytes : {1.5 * inside, std::max(4 * inside, 128 * 0x1p20)})
        if (bytes > 0 && bytes <= limit) result.emplace_back(level.name, bytes);
      break;
    }
    for (const double part : {0.3, 0.55, 0.75, 0.95})
      if (part * all > 1.2 * inside) result.emplace_back(level.name, part * all);
    inside = all;
  }
  return result;
}

LoopTime least(const Loop& loop, const std::string& level, int threads, std::int64_t elements) {
  LoopTime result;
  result.loop = loop.name;
  result.level = level;
  result.threads = threads;
  const double n = static_cast<double>(elements) * threads;
  if (loop.flops > 0) result.work.least["fp64"] = Flops(loop.flops * n);
  result.traffic.read = Bytes(loop.read * n);
  result.traffic.write = Bytes(loop.written * n);
  result.traffic.footprint = Bytes(loop.footprint * n);
  result.traffic.warm = true;
  return result;
}

struct Timed : Subject {
  LoopTime time;
};

constexpr const char* note_start = "tune probe --verify: ";

/// nullopt where the machine has no ceiling for the loop's work.
std::optional<Bound> bound_of(const Machine& machine, const LoopTime& time) {
  const Roofline roofline{time.work, time.traffic, machine, time.threads};
  if (roofline.parts(time.work, roofline.least_traffic()).times.empty()) return std::nullopt;
  return roofline.bound();
}

/// By more than the rounding of rates and times.
bool beats(const LoopTime& time, Seconds least) {
  return time.seconds < (1 - 1e-9) * least.value();
}

/// Where caches keep a part, the traffic across a level's boundary is another mix at another size.
bool same_mix(const Ceiling& one, const Ceiling& other) {
  constexpr double rounding = 1e-9;
  return one.mix == other.mix && std::abs(one.reads - other.reads) < rounding;
}

/// The loop's rate as a ceiling for `part` of its wrong bound.
Ceiling shown(Machine& machine, const LoopTime& time, const CeilingTime& part) {
  Ceiling result;
  result.name = fmt::format("verify {} {} {}t", time.loop, part.level, time.threads);
  result.mix = shown_by_loops;
  // One ceiling for more threads than all others would leave these without a say beyond them.
  result.threads = std::min(time.threads, most_threads(machine));
  result.requirements = ceiling_named(machine.ceilings, part.ceiling)->requirements;
  double amount = 0;
  if (machine.level(part.level)) {
    const LevelTraffic moved =
        Roofline{time.work, time.traffic, machine, time.threads}.least_traffic(part.level);
    amount = moved.total().value();
    result.kind = Ceiling::Kind::bandwidth;
    result.level = part.level;
    result.reads =
        moved.either.value() > 0 ? time.traffic.share_read() : moved.read.value() / amount;
    // Only reads and writes of the same lines are faster for it.
    constexpr double half = 1e-6;
    if (time.traffic.in_place() && std::abs(result.reads - 0.5) < half) result.mix = "update";
    result.working_set = time.traffic.footprint.value();
  } else {
    amount = time.work.least.at(part.level).value();
    result.kind = Ceiling::Kind::in_core;
    result.precision = part.level;
    result.simd_bits = machine.simd_bits;
  }
  result.rate = {amount / time.seconds, amount / time.third, amount / time.seconds};
  result.source = {Source::Kind::measured,
                   fmt::format("tune probe {} --verify: the plain loop {} over {} took {}, {} by "
                               "\"{}\" would have been the least",
                               version, time.loop, to_text(time.traffic.footprint),
                               to_text(Seconds(time.seconds)), to_text(part.low), part.ceiling),
                   utc_now()};
  return result;
}

/// Adds the loop's rate for every part of the bound it beats; returns the names.
std::set<std::string> repair(Machine& machine, const LoopTime& time) {
  std::set<std::string> names;
  const std::optional<Bound> bound = bound_of(machine, time);
  if (!bound) return names;
  for (const CeilingTime& part : bound->parts) {
    if (!beats(time, part.low)) continue;
    Ceiling ceiling = shown(machine, time, part);
    if (Ceiling* const there = ceiling_named(machine.ceilings, ceiling.name);
        there && !same_mix(*there, ceiling))
      ceiling.name += " " + to_text(time.traffic.footprint);
    if (Ceiling* const there = ceiling_named(machine.ceilings, ceiling.name))
      keep_faster(*there, ceiling);
    else
      machine.ceilings.push_back(ceiling);
    names.insert(ceiling.name);
  }
  return names;
}

}  // namespace

std::vector<LoopTime> plain_loop_times(const Machine& machine, const ProbeOptions& options) {
  const ProbeClock clock{options, options.seconds > 0 ? options.seconds : 120};
  clock.show("compiling loops");
  const TemporaryDirectory folder;
  const DynamicLibrary library = compiled(folder);
  const Topology host = topology();
  const double limit = static_cast<double>(host.memory_bytes) / 8;
  double most = 0;
  for (const int threads : thread_counts(host))
    for (const auto& [level, bytes] : sizes(machine, threads, limit))
      most = std::max(most, bytes / threads);
  Bench bench(host.cpus, host, cpu_features(), static_cast<std::size_t>(most) + 3 * spare);
  const auto pages = host.transparent_huge_pages ? Arena::Kind::huge : Arena::Kind::base;
  std::deque<Timed> all;
  for (const int threads : thread_counts(host))
    for (const auto& [level, bytes] : sizes(machine, threads, limit))
      for (const Loop& loop : loops) {
        const auto elements =
            static_cast<std::int64_t>(bytes / threads / loop.footprint) / block * block;
        if (elements == 0) continue;
        Timed timed;
        timed.time = least(loop, level, threads, elements);
        timed.ceiling.kind = Ceiling::Kind::bandwidth;
        timed.ceiling.threads = threads;
        timed.samples = Samples(0.03, false);
        timed.exercise = std::make_unique<LoopExercise>(
            loop, reinterpret_cast<Function>(library.symbol(loop.name)), elements, bench.arena(),
            pages);
        all.push_back(std::move(timed));
      }
  std::vector<Subject*> subjects;
  for (Timed& timed : all) subjects.push_back(&timed);
  go_round(
      bench, subjects, now() + clock.budget, [&] { clock.show("plain loops"); },
      options.interrupted);
  std::vector<LoopTime> result;
  for (const Timed& timed : all) {
    if (timed.samples.windows() == 0) continue;
    result.push_back(timed.time);
    const Estimate rate = timed.samples.estimate();
    result.back().seconds = 1 / rate.value;
    result.back().third = 1 / rate.low;
  }
  return result;
}

Verification verify(Machine& machine, const std::vector<LoopTime>& times) {
  Verification result;
  for (const LoopTime& time : times) {
    const std::optional<Bound> bound = bound_of(machine, time);
    if (!bound) continue;
    const bool faster = beats(time, bound->low);
    result.beating += faster ? 1 : 0;
    result.loops.push_back({time, *bound, time.seconds / bound->low.value(), faster});
  }
  std::stable_sort(result.loops.begin(), result.loops.end(),
                   [](const auto& a, const auto& b) { return a.ratio < b.ratio; });
  // A mix that was not measured is bounded by its neighbours, so a ceiling that is added for one
  // loop can lower the bound's rate for another: until no loop beats its bound.
  std::set<std::string> repaired;
  const auto left = [&] {
    return std::count_if(result.loops.begin(), result.loops.end(), [&](const VerifiedLoop& loop) {
      const std::optional<Bound> bound = bound_of(machine, loop.time);
      return bound && beats(loop.time, bound->low);
    });
  };
  for (std::size_t round = 0; round <= result.loops.size() && left() > 0; ++round)
    for (const VerifiedLoop& loop : result.loops) repaired.merge(repair(machine, loop.time));
  result.left = static_cast<int>(left());
  result.repaired.assign(repaired.begin(), repaired.end());
  std::erase_if(machine.notes,
                [](const std::string& note) { return note.starts_with(note_start); });
  machine.notes.push_back(fmt::format(
      "{}{} plain loops at several sizes, {} beat their bounds, {} ceilings were added or raised",
      note_start, result.loops.size(), result.beating, result.repaired.size()));
  return result;
}

}  // namespace rooftune::probe
