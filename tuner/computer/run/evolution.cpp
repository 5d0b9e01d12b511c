// Kernels whose calls go on from each other: their values must stay numbers, and an application
// should know where later calls take another time than the first.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "core/units.h"
#include "run/element.h"
#include "run/sampler.h"
#include "run/worker.h"

namespace rooftune::run {
namespace {

/// The calls compared are the first, the second and this one, or an earlier one of long calls.
constexpr int last_call = 50, least_last = 3;
constexpr int repetitions = 5;
/// Of the time of the samples.
constexpr double share_of_time = 0.2;
/// The first call finds caches and branches as nothing in an application leaves them.
constexpr double first_differs = 2, later_differs = 1.25;

/// Of times in order: beyond the noise, and by more than a factor.
bool differ(const std::vector<double>& one, const std::vector<double>& other, double factor) {
  const auto above = [&](const auto& a, const auto& b) {
    return b.front() > factor * a.front() && b[1] > a[repetitions - 2];
  };
  return above(one, other) || above(other, one);
}

}  // namespace

void Worker::require_finite(const Calls& calls) const {
  if (!setup_->evolves || !calls.arrays.updates()) return;
  finish(calls.variant, calls.arrays, calls.arguments);
  if (const std::string fault = not_finite(calls.arrays, calls.task.team.threads); !fault.empty())
    throw VariantFault{Outcome::wrong_result, fault + " after calls that go on from each other"};
}

std::string Worker::not_finite(const ArraySet& arrays, int threads) const {
  for (const GuardedArray& array : arrays.arrays()) {
    const Slot& slot = array.slot();
    if (slot.argument.access != Argument::Access::update) continue;
    std::string fault;
    with_type(slot.argument.type, [&]<class T>(T*) {
      const T* const values = static_cast<const T*>(array.data());
      std::atomic<std::int64_t> first = slot.count;
      openmp_->parallel_for(threads, slot.count, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < std::min<std::int64_t>(end, first); ++i)
          if (!std::isfinite(size_of(values[i]))) first = i;
      });
      if (first < slot.count)
        fault = fmt::format("array {}: element {} of {} is {}", slot.argument.name, first.load(),
                            slot.count, shown(slot.argument.type, values[first]));
    });
    if (!fault.empty()) return fault;
  }
  return {};
}

std::string Worker::ageing(const Calls& calls, double call_seconds) {
  if (!setup_->evolves || !calls.arrays.updates()) return {};
  const double most =
      share_of_time * calls.task.timing.trial_seconds / (repetitions * call_seconds);
  const int last = static_cast<int>(std::min<double>(last_call, most));
  if (last < least_last) return {};
  const int threads = calls.task.team.threads;
  std::array<std::vector<double>, 3> times;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    calls.arrays.use(0);
    calls.begin();
    if (calls.variant.has_prepare()) calls.variant.prepare(calls.arguments);
    if (setup_->warm) calls.arrays.read_through(threads);
    for (int number = 1; number <= last; ++number) {
      const bool timed = number <= 2 || number == last;
      if (timed && !setup_->warm) flush_caches(threads);
      const double begin = raw_clock();
      calls.call();
      if (timed) times[std::min(number, 3) - 1].push_back(raw_clock() - begin);
    }
  }
  check_guards(calls.arrays, "the kernel");
  for (auto& seconds : times) std::ranges::sort(seconds);
  const auto& [first, second, later] = times;
  if (!differ(first, second, first_differs) && !differ(first, later, first_differs) &&
      !differ(second, later, later_differs))
    return {};
  const auto text = [](const std::vector<double>& seconds) {
    return to_text(Seconds(seconds.front()));
  };
  return fmt::format(
      "calls go on from each other, and the first takes {}, the second {}, number {} {}",
      text(first), text(second), last, text(later));
}

}  // namespace rooftune::run
