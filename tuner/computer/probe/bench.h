// Measurement of ceilings in short windows, a few at a time; the caller goes round all of them. One
// visit, and one exercise, at a time.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "os/topology.h"
#include "probe/memory.h"
#include "probe/samples.h"
#include "roofline/machine.h"

namespace rooftune::probe {

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
  std::int64_t amount = 1;
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

class Bench {
 public:
  /// One pinned thread per element of `cpus`; `bytes` of memory per thread and kind of pages.
  Bench(const std::vector<int>& cpus, const Topology& topology, const CpuFeatures& features,
        std::size_t bytes);

  int threads() const { return team_.size(); }
  Arena& arena() { return arena_; }
  std::size_t arena_bytes() const { return arena_.bytes(); }
  /// First touch of `bytes` by each of the first `threads` threads.
  void touch(Arena::Kind kind, int threads, std::size_t bytes);
  /// Binds a kernel to the ceiling; nullopt when this machine cannot run it.
  std::optional<Subject> subject(Ceiling ceiling);
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

/// A bench of this host's CPUs with room for these ceilings. Throws Error as Bench does.
std::unique_ptr<Bench> bench_for(const std::vector<Ceiling>& ceilings);

/// True for rates proportional to the clock of the core or multiprocessor: computing, and the two
/// inner levels.
bool on_core_clock(const Ceiling& ceiling);

/// The ceiling with rate, interval, samples, clock, source and stability filled in from the
/// samples.
Ceiling measured(const Subject& subject);

/// Goes round the subjects until `deadline` (now()) or until all are settled; visits the
/// first in any case. A settled one is visited every fourth round only. Calls `tick` after each
/// visit; when `interrupted` says so it throws Error (code interrupted).
void go_round(Bench& bench, std::vector<Subject*> subjects, double deadline,
              const std::function<void()>& tick, const std::function<bool()>& interrupted);

}  // namespace rooftune::probe
