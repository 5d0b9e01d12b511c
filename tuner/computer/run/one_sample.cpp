// Samples a variant's calls: how many calls, and what state arrays and caches have before each.
#include <algorithm>
#include <utility>

#include "run/gpu_runtime.h"
#include "run/sampler.h"
#include "run/worker.h"

namespace rooftune::run {
namespace {

/// The shortest valid sample as a share of the wanted window, and how often to calibrate anew.
constexpr double least_window = 0.25;
constexpr int most_calibrations = 3;
/// Where arrays are restored before each call, a window counts as this share of its whole time if
/// its calls took less: a 10 ns call would be restored for seconds to fill a millisecond.
constexpr double least_share_of_calls = 0.1;

}  // namespace

Calls Worker::calls_of(const Task& task, ArraySet& arrays, const LoadedVariant& variant) const {
  // On a card a call's arrays are the variant's own copies.
  return {task, arrays, variant, !gpu_ && !setup_->evolves && arrays.updated()};
}

void Worker::restore(const Calls& calls) const {
  if (!calls.restored) return;
  const int threads = calls.task.team.threads;
  calls.arrays.restore(threads);
  // A variant may make its own layout from the arrays.
  calls.variant.prepare(calls.arguments);
  if (setup_->warm) calls.arrays.read_through(threads);
}

Sample Worker::restored_sample(const Calls& calls, int repeats) const {
  const auto timed = [](const auto& body) {
    const double begin = raw_clock();
    body();
    return raw_clock() - begin;
  };
  static const double clock = [&] {
    double least = 1;
    for (int i = 0; i < 100; ++i) least = std::min(least, timed([] {}));
    return least;
  }();
  double seconds = 0;
  Sample one = sample(
      [&] {
        for (int i = 0; i < repeats; ++i) {
          restore(calls);
          seconds += std::max(timed([&] { calls.call(); }) - clock, 0.0);
        }
      },
      1);
  // The whole wait may have been in the calls.
  if (one.lost > 0) one.lost = std::min(one.lost * one.seconds / seconds, 1.0);
  one.seconds = seconds / repeats;
  return one;
}

double Worker::filling(const Calls& calls, double called, double elapsed) {
  return calls.restored ? std::max(called, least_share_of_calls * elapsed) : called;
}

int Worker::calls_per_sample(const Calls& calls, double first) const {
  const auto window = [&](int number) {
    const double begin = raw_clock();
    if (calls.restored) {
      const double called = restored_sample(calls, number).seconds * number;
      return filling(calls, called, raw_clock() - begin);
    }
    for (int i = 0; i < number; ++i) calls.call();
    settle();
    return raw_clock() - begin;
  };
  // From cold caches only the first call counts.
  return setup_->warm ? calibrated_repeats(window, first, calls.task.timing.sample_seconds) : 1;
}

void Worker::flush_caches(int threads) {
  if (setup_->flush_bytes == 0) return;
  if (!flushed_) flushed_.emplace(setup_->flush_bytes, page_bytes());
  constexpr int64_t line_bytes = 64;
  auto* const words = reinterpret_cast<volatile unsigned char*>(flushed_->start());
  const int64_t lines = flushed_->size() / line_bytes;
  openmp_->parallel_for(threads, lines, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin * line_bytes; at < end * line_bytes; at += line_bytes)
      words[at] = uint8_t(words[at] + 1);
  });
}

Sample Worker::one_sample(const Calls& calls, int repeats) {
  const auto call = [&] { calls.call(); };
  if (gpu_) {
    if (!setup_->warm) gpu_->flush();
    Sample one;
    one.seconds = gpu_->seconds([&] {
      for (int i = 0; i < repeats; ++i) call();
    }) / repeats;
    return one;
  }
  if (setup_->warm) return calls.restored ? restored_sample(calls, repeats) : sample(call, repeats);
  restore(calls);
  flush_caches(calls.task.team.threads);
  return sample(call, repeats);
}

Sample Worker::filled_sample(const Calls& calls, int& repeats) {
  const double least = least_window * calls.task.timing.sample_seconds;
  for (int i = 0;; ++i) {
    const double begin = raw_clock();
    const Sample one = one_sample(calls, repeats);
    const double filled = filling(calls, one.seconds * repeats, raw_clock() - begin);
    if (!setup_->warm || i == most_calibrations || filled >= least) return one;
    const int more = calls_per_sample(calls, one.seconds);
    if (more <= repeats) return one;
    repeats = more;
    replies_.send(Phase::calibrated, {{"repeats", repeats}});
  }
}

}  // namespace rooftune::run
