// Two clocks: wall time without slewing, and the core's own, counted by a chain of dependent
// additions. The time-stamp counter has a constant rate and is never called a core clock.
#pragma once
#include "core/modules.h"

namespace rooftune::probe {

/// CLOCK_MONOTONIC_RAW [s].
double now();

/// Core clock [Hz] over a chain of dependent 64-bit integer additions (one per cycle on every core
/// of the last decades). Vector multiplications of `simd_bits` run beside the chain (for 64: none),
/// for the core's clock depends on the width in use, and a change stalls the core. A preempted
/// reading is too low, never too high. 0 on an architecture without such a chain. The CPU must have
/// vectors of that width.
double core_clock(int simd_bits);

/// Flushes denormal results and operands to zero in this thread, which keeps operands off microcode
/// paths.
void flush_denormals();

}  // namespace rooftune::probe
