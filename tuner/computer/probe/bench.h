// Measures ceilings in short windows, a few at a time; the caller goes round them all. One visit,
// and one exercise, at a time.
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

/// A list, for references stay valid while it grows.
using Subjects = std::list<Subject>;
/// Subjects to visit in turn.
using Chosen = std::vector<Subject*>;

class Bench {
 public:
  /// One pinned thread per element of `cpus`; `bytes` of memory per thread and kind of pages.
  Bench(const Cpus& cpus, const Topology& topology, const CpuFeatures& features, size_t bytes);

  int threads() const { return team_.size(); }
  Arena& arena() { return arena_; }
  size_t arena_bytes() const { return arena_.bytes(); }
  /// The first thread touches all its memory of this kind.
  void touch(Arena::Kind kind);
  /// Binds kernels to the ceilings in the plan that this machine can run; returns the subjects
  /// added.
  Chosen add(Subjects& subjects, const CeilingList& plan);
  /// Warms up and adds a few windows; calibrates on the first visit. Returns whether other programs
  /// left windows undisturbed; disturbed ones are added where there are no others.
  bool visit(Subject& subject);

 private:
  /// On one thread, for several may hardly ever run together on a busy machine.
  void calibrate(Subject& subject);
  bool accept(Subject& subject, Windows windows);
  Windows windows(Subject& subject, int threads, int count, bool prepare);

  CpuFeatures features_;
  int vector_bits_;  ///< the stream kernels'
  Team team_;
  Arena arena_;
};

using SharedBench = std::shared_ptr<Bench>;
/// A bench on this host's CPUs with room for these ceilings: `kept`, if it has the room. Throws
/// Error as Bench does.
SharedBench bench_for(const CeilingList& ceilings, SharedBench kept = nullptr);

/// True for rates that follow the clock of the core or multiprocessor: computing, and the two inner
/// levels.
bool on_core_clock(const Ceiling& ceiling);

/// The ceiling with rate, interval, samples, clock, source and stability filled in from the
/// samples.
Ceiling measured(const Subject& subject);

/// Goes round the subjects until `deadline` (now()) or until all are settled, but takes at least
/// `least_turns` turns. Visits a settled one only in every fourth round. Calls `tick` after each
/// visit; throws Error (code interrupted) when `interrupted` says so.
void go_round(Bench& bench, Chosen subjects, double deadline, const Callback& tick,
              const Question& interrupted, size_t least_turns = 1);

}  // namespace rooftune::probe
