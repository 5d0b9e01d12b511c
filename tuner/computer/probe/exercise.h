// A team's work for a ceiling: micro-kernels bound to operands or memory.
#pragma once
#include <cstdint>
#include <memory>

#include "os/cpu_features.h"
#include "probe/memory.h"
#include "roofline/machine.h"

namespace rooftune::probe {

/// The team's work for a ceiling: a kernel bound to operands or memory, run in equal windows.
class Exercise {
 public:
  virtual ~Exercise() = default;
  /// Puts memory and operands in order; runs on thread `index`, untimed, before each visit.
  virtual void prepare(int index) = 0;
  /// The window's work on thread `index`.
  virtual void work(int index) = 0;
  /// A window's nominal flops or bytes over all threads.
  virtual double units() const = 0;
  /// How much work a window has (iterations, passes, slices, steps), at least 1; the calibration
  /// sets it.
  int64_t amount = 1;
};

/// Kernel and operands, or memory, for a ceiling's fields; nullptr when this CPU has no such kernel
/// or the working set is too small for it. Random walks keep `misses_of(ceiling)` chains in flight.
std::unique_ptr<Exercise> exercise_of(const Ceiling& ceiling, const CpuFeatures& features,
                                      Arena& arena);

/// How many chains a random walk has: the number behind "mlp" in its name, 1 for latency, 0 for
/// other ceilings.
int misses_of(const Ceiling& ceiling);

}  // namespace rooftune::probe
