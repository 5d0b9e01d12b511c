// One probe from empty to finished: phases in order, each with its share of the time budget.
// The caller runs the phases once, in the order of their declaration.
#pragma once
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "probe/bench.h"
#include "probe/plan.h"
#include "probe/plateau.h"
#include "probe/probe.h"

namespace rooftune::probe {

class Campaign {
 public:
  Campaign(const ProbeOptions& options, const Topology& topology, const CpuFeatures& features);

  /// Checks and notes whether huge pages are given.
  void check_pages();
  /// Walks through sizes from the innermost cache to memory; again at other moments, because a
  /// level shows only without disturbance by neighbours. The best rate of a size stays.
  void sweep();
  /// From the sweeps so far.
  void find_levels();
  /// Finds caches wrongly reported as shared, as a virtual machine may do, by walks of several
  /// sizes. Again at a later moment, in case neighbours disturbed the first.
  void find_sharing();
  void measure_in_core();
  void measure_caches();
  void measure_memory();
  /// Checks the figures against each other and measures the inconsistent ones again.
  void remeasure_inconsistent();
  /// Everything as a machine.
  Machine finish();

 private:
  using Subjects = std::deque<Subject>;  // references stay valid while it grows

  std::vector<Subject*> add(const std::vector<Ceiling>& plan);
  void measure(const std::string& phase, const std::vector<Subject*>& subjects, double share);
  Ceiling load_of(double bytes) const;
  std::vector<SweepPoint> sweep_points() const;
  /// Whether all cores walk through `bytes` each of the level as fast as one alone: then each has
  /// its own, here and in the notes.
  bool finds_apart(std::size_t level, double bytes);
  LevelPlace place(std::size_t level) const;
  double outer_cache() const;  ///< effective bytes of the outermost cache
  double memory_set() const;   ///< bytes walked per thread in memory
  /// The ceilings as measured so far, each the best of its walked sizes, closed upwards; impossible
  /// ones are shown only.
  void close_ceilings();
  /// Takes the rates of loads within the levels from the sweep.
  void learn_from_sweep();
  /// Capacities by all sweeps; the levels stay.
  void refine_levels();
  void verify_pages();
  void widen_by_clock();
  void check_anchors();
  void note_in_core();
  void note(std::string text) { machine_.notes.push_back(std::move(text)); }

  const ProbeOptions& options_;
  Topology topology_;
  CpuFeatures features_;
  ProbeClock clock_;
  Contention before_;
  Bench bench_;
  bool huge_pages_ = false;
  Subjects sizes_;  ///< of the sweep
  Subjects subjects_;
  std::vector<Plateau> evidence_;          ///< one per level
  std::vector<const Subject*> best_;       ///< one per ceiling: the subject of its measurement
  std::set<std::size_t> raised_ceilings_;  ///< indices of ceilings raised by others
  Machine machine_;
};

}  // namespace rooftune::probe
