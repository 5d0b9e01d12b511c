// Timing of calls: calls per sample, number of samples, and the disturbance of each. The caller
// warms up, and decides on the meaning of a cold start.
#pragma once
#include <functional>
#include <vector>

#include "core/callback.h"
#include "os/process_tree.h"
#include "run/message.h"

namespace rooftune::run {

/// `repeats` calls in one window, on the raw monotonic clock.
Sample sample(const Callback& call, int repeats);

/// What one sample saw [s].
struct Window {
  double seconds = 0;  ///< its length
  double cpu = 0;      ///< all threads of the process
  double missing = 0;  ///< the calling thread's, without a sleep of its own will
  double stolen = 0;   ///< by a hypervisor
};
/// A disturbed sample of a race is taken again as often as fits into this [s]: between the turns of
/// a neighbour a short one comes clean.
constexpr double retaking = 0.05;
/// Fills in `waited` and `lost`.
void count_waits(Sample& sample, const Window& window, const os::Waits& waits);

/// Calls per sample for a fastest try (of a few) of at least `sample_seconds`; `first` is the time
/// of the very first call [s]. A single preempted try would give windows far too short. `window`
/// makes so many calls and returns their time together [s].
int calibrated_repeats(const std::function<double(int)>& window, double first,
                       double sample_seconds);

/// Nothing in the samples lets the variant beat the incumbent: a second validation, possibly longer
/// than all of them, is not worth while.
bool cannot_win(const std::vector<Sample>& samples, const Timing& timing);

/// As far as the samples tell, it may be the best: beside no incumbent, or hardly slower.
bool may_be_best(const std::vector<Sample>& samples, const Timing& timing);

/// Enough samples after so many seconds of timing.
bool are_enough(const std::vector<Sample>& samples, const Timing& timing, double elapsed);
/// Samples of a card show early that a variant is slower than the best: five that agree, or any
/// after so many seconds of timing.
bool are_enough_on_card(const std::vector<Sample>& samples, const Timing& timing, double elapsed);

/// The fastest three differ by more than three times: the best is a chance hit, or the machine is
/// too disturbed now.
bool is_irreproducible(const std::vector<Sample>& samples);

/// CLOCK_MONOTONIC_RAW [s].
double raw_clock();
/// CPU time of the calling thread [s].
double thread_clock();

}  // namespace rooftune::run
