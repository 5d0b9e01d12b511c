// The work of a team for one ceiling: micro-kernels bound to operands or memory.
#pragma once
#include <cstdint>
#include <memory>

#include "os/cpu_features.h"
#include "probe/memory.h"
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
  int64_t amount = 1;
};

/// Kernel and operands, or memory, for a ceiling's fields; nullptr when this CPU has no such kernel
/// or the working set is too small for it. Random walks keep `misses_of(ceiling)` chains in flight.
std::unique_ptr<Exercise> exercise_of(const Ceiling& ceiling, const CpuFeatures& features,
                                      Arena& arena);

/// Chains of a random walk: the number behind "mlp" in its name, 1 for latency, 0 for others.
int misses_of(const Ceiling& ceiling);

}  // namespace rooftune::probe
