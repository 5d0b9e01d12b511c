// A machine as the model sees it: ceilings, cache levels and identity, each figure with its source.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/fields.h"
#include "core/list.h"
#include "core/quantity.h"

namespace rooftune::roofline {

/// In alphabetical order, so a set of them prints sorted. docs/formats.md explains each.
ROOFTUNE_ENUM(Paradigm, balance, capacity, coalesced, compulsory, conflict, fma, huge_pages, ilp,
              issue, nt_store, numa, occupancy, prefetch, simd, tensor, tlb, tlp, unit_stride, work,
              write_allocate)
using Paradigms = std::set<Paradigm>;

/// An unknown one is a fault with a suggestion.
void decode(const Place& place, Paradigm& paradigm);

/// The words of a set or list, in its order.
template <class Range>
Texts words(const Range& paradigms) {
  Texts result;
  for (const Paradigm paradigm : paradigms) result.emplace_back(to_text(paradigm));
  return result;
}

/// Whether a knob able to break `breaks` suits a limit in lack of `lacks`.
bool breaks_one(const std::vector<Paradigm>& breaks, const Paradigms& lacks);

/// A rate no program exceeds while it lacks a paradigm (Williams 2008): a roof when `requirements`
/// holds every paradigm of the machine, a ceiling below it otherwise.
struct Ceiling {
  /// In place of a precision: instructions of no work at all, as many as a core takes in.
  static constexpr const char* issue = "instructions";
  static constexpr std::string_view peak_mix = "peak", update_mix = "update", random_mix = "random";
  ROOFTUNE_NESTED_ENUM(Kind, in_core, bandwidth, latency, launch)
  std::string name;  ///< unique in the machine: "fp64 fma 512 ilp12 2t", "DRAM triad nt 2t"
  Kind kind = Kind::in_core;
  std::string precision;  ///< in_core: "fp64", "fp32"; else empty
  std::string level;      ///< bandwidth, latency: "L1", "L2", "L3", "DRAM"; else empty
  std::string mix;  ///< in_core: fma add mul add_mul fma_add fma2_add fma_mul div sqrt; bandwidth:
                    ///< load store copy triad update random, or peak (theoretical, for any mix)
  int threads = 1;
  int simd_bits = 0;  ///< in_core: 64 (scalar) 128 256 512
  int ilp = 0;        ///< in_core: independent accumulators
  double reads = 0;   ///< bandwidth: share of nominal bytes read, in [0, 1]
  double stride = 8;  ///< bandwidth: bytes between accesses
  bool non_temporal = false;
  bool huge_pages = false;
  bool remote = false;  ///< bandwidth: memory of another NUMA node
  /// flop/s, (nominal) B/s or launches/s. The value is the fastest ever seen: disturbance only
  /// slows, so a running maximum bounds others.
  Estimate rate;
  Source source;
  Paradigms requirements;   ///< paradigms needed to reach it
  bool stable = true;       ///< false: the best windows disagree, the machine moved meanwhile
  bool shown_only = false;  ///< a figure beside measured ones, never used for a bound
  double clock = 0;         ///< core clock seen beside it [Hz], 0 unknown
  double working_set = 0;   ///< bandwidth: bytes walked by all threads
  Numbers samples;          ///< the best raw rates
  /// A theoretical peak holds for every mix of reads and writes.
  bool of_any_mix() const { return mix == peak_mix; }
  /// Reads and writes the same bytes.
  bool is_update() const { return mix == update_mix; }
};
using CeilingList = std::vector<Ceiling>;

/// nullptr when none has the name.
const Ceiling* ceiling_named(const CeilingList& ceilings, const std::string& name);
Ceiling* ceiling_named(CeilingList& ceilings, const std::string& name);

/// Member "gpu" of a machine file. Sizes in bytes; registers of 32 bits.
struct GpuFacts {
  Texts devices;               ///< names of cards it describes; * stands for any text
  int compute_capability = 0;  ///< 10 major + minor: 80 for 8.0
  int multiprocessors = 0;
  int warp = 32;  ///< threads: 32, or 64 (a wave of CDNA)
  int threads_per_multiprocessor = 0, blocks_per_multiprocessor = 0, threads_per_block = 1024;
  int registers_per_multiprocessor = 0, registers_per_block = 0;
  int64_t shared_per_multiprocessor = 0;
  int64_t shared_per_block = 0;  ///< the most for a block on request
  int64_t shared_reserved = 0;   ///< taken by the system from each block's share
  int64_t l2 = 0, memory = 0;

  /// True when the driver's name of a card fits one of `devices`; case matters.
  bool describes(const std::string& device) const;
};

/// "8.0" for 80.
std::string compute_capability_text(int capability);

/// Member "slurm" of a machine file: options of sbatch; empty ones are not given.
struct SlurmRequest {
  std::string partition, constraint, account, gres, time;
  Texts options;  ///< further words, after all others: "--qos=night"

  /// As sbatch takes them: "--partition=gpu", ...
  Texts words() const;
  /// Faults of options set by the launcher itself, or of none at all.
  static void check(const SlurmRequest& request, const Place& place);
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit.sparse, self, partition, constraint, account, gres, time, options);
    visit.then(self, check);
  }
};

/// One cache or memory level, innermost first.
struct MemoryLevel {
  std::string name;                ///< "L1", "L2", "L3", "DRAM"
  std::optional<double> capacity;  ///< effective bytes of one instance; none for memory
  std::optional<double> reported;  ///< bytes the system claims
  int instances = 1;               ///< private caches: one per core
  int ways = 0;                    ///< associativity; 0 unknown
  /// Upper limit of one instance's useful bytes: as reported unless a sweep contradicts it, else
  /// the size at which the sweep falls to the rate of the next level.
  std::optional<double> at_most = {};
};

ROOFTUNE_ENUM(MachineKind, cpu, gpu)

struct Machine {
  std::string name;
  std::string description;
  MachineKind kind = MachineKind::cpu;
  bool is_gpu() const { return kind == MachineKind::gpu; }
  std::string id;  ///< hash of the identity: changes start a new series
  NamedTexts identity;
  int cores = 1;  ///< usable by this process
  int numa_nodes = 1;
  int fast_memory_nodes = 0;    ///< further NUMA nodes of high-bandwidth memory
  int simd_bits = 0;            ///< widest usable vector
  Texts features;               ///< CPU feature names ("avx512f")
  std::optional<GpuFacts> gpu;  ///< a GPU's, where its file has them
  std::vector<MemoryLevel> levels;
  CeilingList ceilings;
  Texts notes;
  std::optional<SlurmRequest> slurm;  ///< a cluster's: request for its nodes

  /// The note of a machine whose probe found nothing to measure with: it has no ceilings.
  static constexpr const char* no_micro_kernels =
      "tune probe has no micro-kernels for this architecture, so studies here have no bound";
  /// For people, of a machine without ceilings: that note, or that it was never probed.
  std::string why_no_ceilings() const;
  /// The fastest ceiling of launches; nullptr where none is known.
  const Ceiling* fastest_launch() const;
  const MemoryLevel* level(const std::string& name) const;
  /// Memory of a card: all its streams together fill the bus, and what is read is not written.
  /// Cores of a host wait for memory rather than fill its bus, and their reads and writes overlap.
  bool is_one_way(const MemoryLevel& level) const { return is_gpu() && !level.capacity; }
  /// The most one instance of a level may hold [B]: at_most where known; else the measured size, or
  /// the reported one unless over four times as much (a hypervisor's figure); infinity for memory.
  /// A walk finds less than there is, since it meets others' data and its own conflicts.
  static double most_held(const MemoryLevel& level);
  /// The same of the instances used by `threads` cores, of all levels inside `level` together: the
  /// capacity of exclusive caches. Throws Error when there is no such level.
  double held_inside(const std::string& level, int threads) const;
  /// The part of held_inside() kept from call to call. Every launch empties a GPU's caches of one
  /// multiprocessor (CUDA C++ Programming Guide, "Global Memory": they are not coherent).
  double kept_inside(const std::string& level, int threads) const;
};

/// Anchors at the two ends of a run. Empty when nothing was measured again.
struct AnchorReadings {
  CeilingList start, end;
  /// Readings at random moments between trials: the median, the slowest tenth and the fastest.
  CeilingList between = {};
};

/// Rates of one ceiling during a run, over its rate in the machine file.
struct Drift {
  std::string ceiling;
  Ceiling::Kind kind = Ceiling::Kind::in_core;
  std::string subject;  ///< level of a bandwidth, precision of computing
  int threads = 1;
  double low = 1, high = 1;  ///< the slowest and the fastest reading
  /// Over the rate of as_seen(), which a reading above the file's has raised.
  double given() const { return high < 1 ? high : 1; }
  std::string sentence;  ///< "DRAM load 2t: 31.2 GB/s in the machine file, 29.0 GB/s (-7.1 %)
                         ///< at the start, ..."
  ROOFTUNE_FIELDS(ceiling, low, high, sentence)
};

/// Whether an anchor's reading holds for the ceiling too: same level or precision, same threads.
bool covers(const Drift& drift, const Ceiling& ceiling);

/// One per anchor of the machine.
std::vector<Drift> drift(const Machine& machine, const AnchorReadings& readings);

/// The machine as the run saw it. An anchor stands for the ceilings of its level or precision with
/// as many threads: a reading above it raises them, since a ceiling is the fastest rate ever seen;
/// and the low ends reach down to its slowest reading, so bound, gap and ledger hold for every
/// moment of the run.
Machine as_seen(const Machine& machine, const std::vector<Drift>& drifts);

}  // namespace rooftune::roofline
