// A machine as the model sees it: ceilings, cache levels and identity, each figure with its source.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/fields.h"
#include "core/list.h"
#include "core/quantity.h"
#include "roofline/paradigm.h"
#include "roofline/slurm_request.h"

namespace rooftune::roofline {

/// A rate no program exceeds while it lacks a paradigm (Williams 2008): a roof when `requirements`
/// holds every paradigm that the machine has, a ceiling below it otherwise.
struct Ceiling {
  /// Stands for a precision: instructions that do no work at all, as many as a core takes in.
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
  bool remote = false;  ///< bandwidth: another NUMA node's memory
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
  /// Whether it holds for every mix of reads and writes, as a theoretical peak does.
  bool of_any_mix() const { return mix == peak_mix; }
  /// Reads and writes the same bytes.
  bool is_update() const { return mix == update_mix; }
};
using CeilingList = std::vector<Ceiling>;
using Ceilings = std::vector<const Ceiling*>;

/// nullptr when none has the name.
const Ceiling* ceiling_named(const CeilingList& ceilings, const std::string& name);
Ceiling* ceiling_named(CeilingList& ceilings, const std::string& name);

/// Member "gpu" in a machine file. Sizes in bytes; registers have 32 bits.
struct GpuFacts {
  Texts devices;               ///< card names that it describes; * stands for any text
  int compute_capability = 0;  ///< 10 major + minor: 80 for 8.0
  int multiprocessors = 0;
  int warp = 32;  ///< threads: 32, or 64 (a CDNA wave)
  int threads_per_multiprocessor = 0, blocks_per_multiprocessor = 0, threads_per_block = 1024;
  int registers_per_multiprocessor = 0, registers_per_block = 0;
  int64_t shared_per_multiprocessor = 0;
  int64_t shared_per_block = 0;  ///< the most for a block on request
  int64_t shared_reserved = 0;   ///< taken by the system from each block's share
  int64_t l2 = 0, memory = 0;

  /// True when the driver's name for a card fits any of `devices`; case matters.
  bool describes(const std::string& device) const;
};

/// "8.0" for 80.
std::string compute_capability_text(int capability);

/// One cache or memory level, innermost first.
struct MemoryLevel {
  std::string name;                ///< "L1", "L2", "L3", "DRAM"
  std::optional<double> capacity;  ///< one instance's effective bytes; none for memory
  std::optional<double> reported;  ///< bytes the system claims
  int instances = 1;               ///< private caches: one per core
  int ways = 0;                    ///< associativity; 0 unknown
  /// Upper limit on one instance's useful bytes: as reported unless a sweep contradicts it, else
  /// the size at which the sweep falls to the next level's rate.
  std::optional<double> at_most = {};
};
using MemoryLevels = std::vector<MemoryLevel>;

ROOFTUNE_ENUM(MachineKind, cpu, gpu)

struct Machine {
  std::string name;
  std::string description;
  MachineKind kind = MachineKind::cpu;
  bool is_gpu() const { return kind == MachineKind::gpu; }
  std::string id;  ///< hash over the identity: changes start a new series
  NamedTexts identity;
  int cores = 1;  ///< usable by this process
  int numa_nodes = 1;
  int fast_memory_nodes = 0;    ///< further NUMA nodes with high-bandwidth memory
  int simd_bits = 0;            ///< widest usable vector
  Texts features;               ///< CPU feature names ("avx512f")
  std::optional<GpuFacts> gpu;  ///< a GPU's, where its file has them
  MemoryLevels levels;
  CeilingList ceilings;
  Texts notes;
  std::optional<SlurmRequest> slurm;  ///< a cluster's: how to request its nodes

  /// The note on a machine whose probe found nothing to measure with: it has no ceilings.
  static constexpr const char* no_micro_kernels =
      "tune probe has no micro-kernels for this architecture, so studies here have no bound";
  /// Tells people why a machine has no ceilings: that note, or that it was never probed.
  std::string why_no_ceilings() const;
  /// The fastest launch ceiling; nullptr where none is known.
  const Ceiling* fastest_launch() const;
  const MemoryLevel* level(const std::string& name) const;
  /// Whether reads and writes share one bus. They do in a card's memory: all its streams together
  /// fill the bus, and a byte read takes the place of a byte written. A host's cores wait for
  /// memory rather than fill its bus, and their reads and writes overlap.
  bool is_one_way(const MemoryLevel& level) const { return is_gpu() && !level.capacity; }
  /// The most one instance of a level may hold [B]: at_most where known; else the measured size, or
  /// the reported one unless over four times as much (a hypervisor's figure); infinity for memory.
  /// A walk finds less than there is, since it meets others' data and its own conflicts.
  static double most_held(const MemoryLevel& level);
  /// The same for all levels inside `level` together, with the instances that `threads` cores use:
  /// what exclusive caches hold [B]. Throws Error when there is no such level.
  double held_inside(const std::string& level, int threads) const;
  /// The part of held_inside() kept from call to call. Every launch empties those GPU caches that
  /// belong to one multiprocessor (CUDA C++ Programming Guide, "Global Memory": they are not
  /// coherent).
  double kept_inside(const std::string& level, int threads) const;
};

}  // namespace rooftune::roofline
