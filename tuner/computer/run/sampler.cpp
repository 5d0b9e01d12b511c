// Windows last about a millisecond: short enough for many undisturbed ones on a busy machine.
#include "run/sampler.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iterator>

#include "core/list.h"

namespace rooftune::run {
namespace {

double clock_seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

rusage of_this_thread() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage;
}

double fastest(const SampleList& samples) {
  return std::ranges::min(samples, {}, &Sample::seconds).seconds;
}

/// A variant this much slower than the best will not win: its interval may stay wide.
constexpr double losing_factor = 1.5;
/// Longer calls are steadier [s]: one clean sample beyond the first factor, or three beyond the
/// second, decide. Replayed on 691 recorded trials, timing took 56 % of its time, and no best was
/// lost whose calls are this long.
constexpr double steady_call = 2e-3, hopeless_factor = 2, beaten_factor = 1.03;
/// This far behind it hardly wins either: the wanted time is enough, however few samples fit in.
constexpr double behind = 1.1;
constexpr size_t least_samples = 3;
/// Wall time, in wanted trial times, after which even few samples are enough.
constexpr double most_trial_times = 4;
/// In wanted windows. A first call that should take microseconds can last tens of milliseconds:
/// touched pages, a device's lazy loading, a team's members waiting for a core. Only beyond this it
/// counts as slow.
constexpr double slow_first_call = 1000;
/// In wanted windows: a try this long is not repeated for its disturbances, nor is a shorter one
/// that confirms the very first call.
constexpr double costly_try = 100, long_try = 5;
constexpr double agreement = 0.8;

}  // namespace

double raw_clock() { return clock_seconds(CLOCK_MONOTONIC_RAW); }
double thread_clock() { return clock_seconds(CLOCK_THREAD_CPUTIME_ID); }

Sample sample(const Callback& call, int repeats) {
  // The waits of the whole team: one thread without a core holds up all at the next barrier.
  static os::RunDelay team;
  static os::StolenTime hypervisor;
  hypervisor.since_last();
  team.read();
  const double cpu_of_all = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
  const rusage usage = of_this_thread();
  const double cpu = thread_clock();
  const double begin = raw_clock();
  for (int i = 0; i < repeats; ++i) call();
  const double end = raw_clock();
  const double cpu_end = thread_clock();
  const rusage later = of_this_thread();
  const double used = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_of_all;
  const std::optional<os::Waits> waits = team.since_last();
  const double stolen = hypervisor.since_last();
  Sample result;
  result.seconds = (end - begin) / repeats;
  result.switches = int(later.ru_nivcsw - usage.ru_nivcsw);
  if (end <= begin) return result;
  result.cpu_share = (cpu_end - cpu) / (end - begin);
  // Where the thread never chose to sleep, what is missing was taken: by a limit, by a hypervisor.
  const double taken = later.ru_nvcsw == usage.ru_nvcsw ? 1 - result.cpu_share : 0;
  if (waits) count_waits(result, {end - begin, used, taken * (end - begin), stolen}, *waits);
  return result;
}

void count_waits(Sample& sample, const Window& window, const os::Waits& waits) {
  double longest = std::max({waits.longest, window.missing, window.stolen});
  // While the calling thread waits, its CPU time is missing as well.
  double together = waits.together + std::max(window.missing - waits.longest, 0.0) + window.stolen;
  // A team larger than its cores waits for itself; only the core time that it did not get went to
  // others.
  if (waits.active > waits.cores) {
    const double others = std::max(double(waits.cores) * window.seconds - window.cpu, 0.0);
    longest = std::min(longest, others);
    together = std::min(together, others);
  }
  constexpr double digits = 1e4;
  // Where waits of threads overlap, their sum overstates the loss: waits and work together cannot
  // exceed the window. But the longest wait of one thread stands.
  if (waits.active > 0)
    together =
        std::min(together, std::max(longest, window.seconds - window.cpu / double(waits.active)));
  sample.waited = std::min(std::round(digits * longest / window.seconds) / digits, 1.0);
  if (!sample.clean())
    sample.lost = std::min(std::ceil(digits * together / window.seconds) / digits, 1.0);
}

int calibrated_repeats(const std::function<double(int)>& window, double first,
                       double sample_seconds) {
  if (first >= slow_first_call * sample_seconds) return 1;
  for (int repeats = 1;;) {
    double least = window(repeats);
    const bool agreed =
        repeats == 1 && least >= long_try * sample_seconds && least >= agreement * first;
    for (int i = 1; !agreed && i < 3 && least < costly_try * sample_seconds; ++i)
      least = std::min(least, window(repeats));
    constexpr int most = 1 << 28;
    if (least >= sample_seconds || repeats >= most) return repeats;
    // A little more than needed, but never a leap from a window too short for the clock.
    const double factor = least > 0 ? 1.1 * sample_seconds / least : 100;
    repeats = int(std::ceil(std::min<double>(most, repeats * std::min(factor, 100.0))));
  }
}

bool cannot_win(const SampleList& samples, const Timing& timing) {
  if (!timing.incumbent) return false;
  // Disturbed samples are slow for other reasons.
  SampleList clean;
  std::ranges::copy_if(samples, std::back_inserter(clean), &Sample::clean);
  if (clean.empty()) return false;
  const double least = fastest(clean);
  const bool is_long = least >= steady_call;
  if (is_long && least > hopeless_factor * *timing.incumbent) return true;
  return clean.size() >= least_samples &&
         least > (is_long ? beaten_factor : losing_factor) * *timing.incumbent;
}

bool may_be_best(const SampleList& samples, const Timing& timing) {
  return !timing.incumbent || fastest(samples) <= behind * *timing.incumbent;
}

bool are_enough_on_card(const SampleList& samples, const Timing& timing, double elapsed) {
  constexpr size_t few = 5;
  constexpr double steady = 1.02, lost = 0.05;
  if (samples.size() < least_samples || may_be_best(samples, timing)) return false;
  if (elapsed >= lost) return true;
  const auto [least, most] = std::ranges::minmax(samples, {}, &Sample::seconds);
  return samples.size() >= few && most.seconds < steady * least.seconds;
}

bool are_enough(const SampleList& samples, const Timing& timing, double elapsed) {
  const auto least = size_t(std::max(timing.min_samples, 1));
  if (cannot_win(samples, timing)) return true;
  if (samples.size() < std::min(least_samples, least)) return false;
  if (samples.size() >= size_t(timing.max_samples)) return true;
  if (elapsed >= timing.trial_seconds && !may_be_best(samples, timing)) return true;
  if (elapsed >= most_trial_times * timing.trial_seconds) return true;
  return samples.size() >= least && elapsed >= timing.trial_seconds;
}

/// A busy machine easily doubles a time; the interval shows it. Beyond this factor no figure is
/// worth keeping.
constexpr double irreproducible = 3;

bool is_irreproducible(const SampleList& samples, int enough) {
  if (samples.size() < std::max(least_samples, size_t(enough))) return false;
  Numbers seconds = members(samples, &Sample::seconds);
  std::nth_element(seconds.begin(), seconds.begin() + 2, seconds.end());
  return seconds[2] > irreproducible * *std::min_element(seconds.begin(), seconds.begin() + 2);
}

}  // namespace rooftune::run
