// Measurement of tasks on a card in short windows, a few at a time, round and round. One visit at a
// time.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "probe/gpu_exercise.h"
#include "probe/samples.h"

namespace rooftune::probe {

/// One ceiling of the card under measurement.
struct GpuSubject : Visited {
  GpuTask task;
  std::unique_ptr<GpuExercise> exercise;
  std::string fault;  ///< why it is doubtful, empty for none
};

class GpuBench {
 public:
  /// `window_seconds`: long against the event's resolution and the cost of a launch, short against
  /// a card's changes of clock.
  GpuBench(const GpuMemory& memory, double window_seconds)
      : memory_(memory), window_seconds_(window_seconds) {}

  GpuSubject subject(const GpuTask& task) const;
  /// Adds a few windows; calibrates on the first visit.
  void visit(GpuSubject& subject) const;
  /// The best rate of `windows` short windows, for sweeps.
  double quick_rate(const GpuTask& task, int windows) const;
  /// The ceiling with rate, interval, samples, clock, source and stability filled in.
  Ceiling measured(const GpuSubject& subject) const;
  /// Goes round the subjects until `deadline` (clock.h's now()) or until all are settled; visits
  /// each at least once. Throws Error (code interrupted) when `interrupted` says so.
  void go_round(const std::vector<GpuSubject*>& subjects, double deadline,
                const std::function<void()>& tick, const std::function<bool()>& interrupted) const;

 private:
  void calibrate(GpuExercise& exercise) const;

  const GpuMemory& memory_;
  double window_seconds_;
};

}  // namespace rooftune::probe
