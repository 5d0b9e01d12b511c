// Times calls: how many calls per sample, how many samples, and how disturbed each is. The caller
// warms up, and decides what a cold start means.
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
  double cpu = 0;      ///< all threads in the process
  double missing = 0;  ///< the calling thread's, unless it chose to sleep
  double stolen = 0;   ///< by a hypervisor
};
/// A race takes a disturbed sample again as often as fits into this [s]: while a neighbour pauses a
/// short one comes clean.
constexpr double retaking = 0.05;
/// Fills in `waited` and `lost`.
void count_waits(Sample& sample, const Window& window, const os::Waits& waits);

/// How many calls a sample needs so that its fastest try (among a few) lasts at least
/// `sample_seconds`; `first`: how long the very first call took [s]. A single preempted try would
/// give windows far too short. `window` makes so many calls and returns their time together [s].
int calibrated_repeats(const std::function<double(int)>& window, double first,
                       double sample_seconds);

/// Nothing in the samples lets the variant beat the incumbent: a second validation, which may take
/// longer than all samples, is not worth while.
bool cannot_win(const SampleList& samples, const Timing& timing);

/// As far as the samples tell, it may be the best: beside no incumbent, or hardly slower.
bool may_be_best(const SampleList& samples, const Timing& timing);

/// Whether samples suffice after timing for `elapsed` [s].
bool are_enough(const SampleList& samples, const Timing& timing, double elapsed);
/// On a card samples show early that a variant is slower than the best: five that agree, or any
/// after timing for long enough.
bool are_enough_on_card(const SampleList& samples, const Timing& timing, double elapsed);

/// Among at least `enough` samples the fastest three differ by more than three times: the best is a
/// chance hit, or the machine is too disturbed now.
bool is_irreproducible(const SampleList& samples, int enough);

/// CLOCK_MONOTONIC_RAW [s].
double raw_clock();
/// CPU time of the calling thread [s].
double thread_clock();

}  // namespace rooftune::run
