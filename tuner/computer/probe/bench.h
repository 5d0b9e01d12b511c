// Measurement of ceilings in short windows, a few at a time; the caller goes round all of them. One
// visit, and one exercise, at a time.
#pragma once
#include <functional>
#include <list>
#include <memory>
#include <vector>

#include "core/callback.h"
#include "os/topology.h"
#include "probe/exercise.h"
#include "probe/memory.h"
#include "probe/samples.h"
#include "roofline/machine.h"

namespace rooftune::probe {

struct Subject : Visited {
  Ceiling ceiling;
  std::unique_ptr<Exercise> exercise;
};

/// A list, since references stay valid while it grows.
using Subjects = std::list<Subject>;
/// Subjects to be visited in turn.
using Chosen = std::vector<Subject*>;

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
  Chosen add(Subjects& subjects, const CeilingList& plan);
  /// Warms up and adds a few windows; calibrates on the first visit.
  void visit(Subject& subject);

 private:
  /// On one thread: several may hardly ever run together on a busy machine.
  void calibrate(Subject& subject);
  void accept(Subject& subject, const std::vector<Window>& windows);
  std::vector<Window> windows(Subject& subject, int threads, int count, bool prepare);

  CpuFeatures features_;
  int vector_bits_;  ///< the stream kernels'
  Team team_;
  Arena arena_;
};

using SharedBench = std::shared_ptr<Bench>;
/// A bench of this host's CPUs with room for these ceilings: `kept`, if that has it. Throws Error
/// as Bench does.
SharedBench bench_for(const CeilingList& ceilings, SharedBench kept = nullptr);

/// True for rates proportional to the clock of the core or multiprocessor: computing, and the two
/// inner levels.
bool on_core_clock(const Ceiling& ceiling);

/// The ceiling with rate, interval, samples, clock, source and stability filled in from the
/// samples.
Ceiling measured(const Subject& subject);

/// Goes round the subjects until `deadline` (now()) or until all are settled; makes so many visits
/// in any case. A settled one is visited every fourth round only. Calls `tick` after each
/// visit; when `interrupted` says so it throws Error (code interrupted).
void go_round(Bench& bench, Chosen subjects, double deadline, const Callback& tick,
              const Question& interrupted, size_t least_turns = 1);

}  // namespace rooftune::probe
