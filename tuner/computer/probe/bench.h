// Measurement of ceilings in short windows, a few at a time; the caller goes round all of them. One
// visit, and one exercise, at a time. And memory for bandwidth kernels: pages of one kind, filled
// or linked by the thread itself. The caller touches it, and asks for it, only from the thread (and
// the NUMA node) meant to own its pages.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <vector>

#include "core/callback.h"
#include "os/mapping.h"
#include "os/topology.h"
#include "probe/in_core_kernels.h"
#include "probe/memory_kernels.h"
#include "probe/samples.h"
#include "roofline/machine.h"

namespace rooftune::probe {

/// An anonymous mapping aligned to 2 MiB, mapped when constructed and touched when filled.
class Memory {
 public:
  /// Throws Error for lack of address space. `bytes` is rounded up to 2 MiB.
  Memory(size_t bytes, bool huge_pages);

  std::byte* begin() const { return reinterpret_cast<std::byte*>(mapping_.start()); }
  size_t size() const { return mapping_.size(); }
  /// Share of the touched part now backed with huge pages (AnonHugePages of smaps).
  double huge_share() const;

  /// Makes the first `bytes` exist; their values are finite doubles or links.
  void touch(size_t bytes);
  /// Makes the first `bytes` exist and all of the memory finite doubles in (0, 1) again; ends a
  /// cycle. Kernels with stores or arithmetic need it before each use; without links it does
  /// nothing.
  void fill(size_t bytes);
  /// Makes the first `bytes` one random cycle over their lines: each line starts with the address
  /// of the next. Nothing is done when they are.
  void link(size_t bytes);
  /// Positions 1/16 of the cycle apart.
  const std::array<void*, most_misses>& heads() const { return heads_; }
  /// Where the last sliced walk stopped [B]: the next goes on there, or it would find the last
  /// one's data in a cache.
  uint64_t cursor = 0;
  /// Cycles made so far: positions are void when it grows.
  uint64_t cycles() const { return cycles_; }

 private:
  Mapping mapping_;
  size_t touched_ = 0;
  size_t linked_ = 0;  ///< bytes of the present cycle, 0 without one
  uint64_t cycles_ = 0;
  std::array<void*, most_misses> heads_{};
};

/// The memory of a team: for each thread one mapping of each kind of pages, first touched in its
/// place.
class Arena {
 public:
  /// base, huge: local pages. remote: huge pages on another NUMA node than the thread's.
  enum class Kind { base, huge, remote };

  /// Mappings of `bytes` for threads pinned to `cpus`; each is made when first asked for.
  Arena(const Cpus& cpus, const Topology& topology, size_t bytes);
  /// Throws Error when memory is short, or when remote pages are asked for on one node.
  Memory& memory(Kind kind, int thread);
  size_t bytes() const { return bytes_; }
  /// Least share of huge pages over the touched mappings of huge pages; 0 without any.
  double huge_share(Kind kind) const;

 private:
  std::unique_ptr<Memory> remote_memory(int thread) const;

  Cpus remote_cpus_;  ///< per thread: a CPU of the next node; empty with one node
  size_t bytes_;
  std::vector<std::unique_ptr<Memory>> mappings_[3];
};

/// The team's work for one ceiling: a kernel bound to operands or memory, in windows of one size.
class Exercise {
 public:
  virtual ~Exercise() = default;
  /// Puts memory and operands in order; runs on thread `index`, untimed, before each visit.
  virtual void prepare(int index) = 0;
  /// The window's work on thread `index`.
  virtual void work(int index) = 0;
  /// Nominal flops or bytes of one window over all threads.
  virtual double units() const = 0;
  /// Amount of work per window (iterations, passes, slices, steps), at least 1; the calibration's
  /// knob.
  int64_t amount = 1;
};

/// Kernel and operands for a ceiling's fields (kind, precision, mix, simd_bits, ilp, threads);
/// nullptr when this CPU has no such kernel.
std::unique_ptr<Exercise> in_core_exercise(const Ceiling& ceiling, const CpuFeatures& features);

/// Kernel and memory for a bandwidth or latency ceiling's fields (mix, non_temporal, stride,
/// huge_pages, remote, threads, working_set); nullptr when there is no such kernel or the working
/// set is too small for it. Random walks keep `misses_of(ceiling)` chains in flight.
std::unique_ptr<Exercise> memory_exercise(const Ceiling& ceiling, const CpuFeatures& features,
                                          Arena& arena);

/// Chains of a random walk: the number behind "mlp" in its name, 1 for latency, 0 for others.
int misses_of(const Ceiling& ceiling);

struct Subject : Visited {
  Ceiling ceiling;
  std::unique_ptr<Exercise> exercise;
};

/// A list, since references stay valid while it grows.
using Subjects = std::list<Subject>;

class Bench {
 public:
  /// One pinned thread per element of `cpus`; `bytes` of memory per thread and kind of pages.
  Bench(const Cpus& cpus, const Topology& topology, const CpuFeatures& features, size_t bytes);

  int threads() const { return team_.size(); }
  Arena& arena() { return arena_; }
  size_t arena_bytes() const { return arena_.bytes(); }
  /// First touch of `bytes` by each of the first `threads` threads.
  void touch(Arena::Kind kind, int threads, size_t bytes);
  /// Binds kernels to those of the plan that this machine can run: the subjects added.
  std::vector<Subject*> add(Subjects& subjects, const CeilingList& plan);
  /// Warms up and adds a few windows; calibrates on the first visit.
  void visit(Subject& subject);

 private:
  /// On one thread: several may hardly ever run together on a busy machine.
  void calibrate(Subject& subject);
  void accept(Subject& subject, const std::vector<Window>& windows);
  std::vector<Window> windows(Subject& subject, int threads, int count, bool prepare);

  CpuFeatures features_;
  int vector_bits_;  ///< of the stream kernels
  Team team_;
  Arena arena_;
};

/// A bench of this host's CPUs with room for these ceilings: `kept`, if that has it. Throws Error
/// as Bench does.
std::shared_ptr<Bench> bench_for(const CeilingList& ceilings,
                                 std::shared_ptr<Bench> kept = nullptr);

/// True for rates proportional to the clock of the core or multiprocessor: computing, and the two
/// inner levels.
bool on_core_clock(const Ceiling& ceiling);

/// The ceiling with rate, interval, samples, clock, source and stability filled in from the
/// samples.
Ceiling measured(const Subject& subject);

/// Goes round the subjects until `deadline` (now()) or until all are settled; makes so many visits
/// in any case. A settled one is visited every fourth round only. Calls `tick` after each
/// visit; when `interrupted` says so it throws Error (code interrupted).
void go_round(Bench& bench, std::vector<Subject*> subjects, double deadline, const Callback& tick,
              const std::function<bool()>& interrupted, size_t least_turns = 1);

}  // namespace rooftune::probe
