// Calls of a variant while it is timed: the inputs of each, samples and how many.
#include <algorithm>
#include <utility>

#include "run/gpu_runtime.h"
#include "run/sampler.h"
#include "run/worker.h"

namespace rooftune::run {
namespace {

/// The parent is woken at most this often while time is taken [s].
constexpr double report_interval = 0.05;
/// Of the wanted window: the shortest valid sample, and the limit of new calibrations.
constexpr double least_window = 0.25;
constexpr int most_calibrations = 3;

}  // namespace

Calls Worker::calls_of(const Task& task, ArraySet& arrays, const LoadedVariant& variant) const {
  // On a card the arrays of a call are the variant's own copies.
  const bool restored = !gpu_ && !setup_->evolves && arrays.updated();
  auto arguments = arrays.pointers(task.scalars);
  auto exchanged = arrays.exchanged(arguments);
  return {task, arrays, variant, std::move(arguments), std::move(exchanged), restored};
}

void Worker::restore(const Calls& calls) const {
  if (!calls.restored) return;
  const int threads = calls.task.team.threads;
  calls.arrays.restore(threads);
  // A layout of its own is made of the arrays.
  if (calls.variant.has_prepare()) calls.variant.prepare(calls.arguments);
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
  // All of the wait may have been in the calls.
  if (one.lost > 0) one.lost = std::min(one.lost * one.seconds / seconds, 1.0);
  one.seconds = seconds / repeats;
  return one;
}

int Worker::calls_per_sample(const Calls& calls, double first) const {
  const auto window = [&](int number) {
    if (calls.restored) return restored_sample(calls, number).seconds * number;
    const double begin = raw_clock();
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
  constexpr std::int64_t line_bytes = 64;
  auto* const words = reinterpret_cast<volatile unsigned char*>(flushed_->start());
  const auto lines = static_cast<std::int64_t>(flushed_->size()) / line_bytes;
  openmp_->parallel_for(threads, lines, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin * line_bytes; at < end * line_bytes; at += line_bytes)
      words[at] = static_cast<unsigned char>(words[at] + 1);
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
  Sample one = one_sample(calls, repeats);
  const double least = least_window * calls.task.timing.sample_seconds;
  for (int i = 0; setup_->warm && i < most_calibrations && one.seconds * repeats < least; ++i) {
    const int more = calls_per_sample(calls, one.seconds);
    if (more <= repeats) break;
    repeats = more;
    replies_.send(Phase::calibrated, {{"repeats", repeats}});
    one = one_sample(calls, repeats);
  }
  return one;
}

std::vector<Sample> Worker::collect(const Calls& calls, int repeats, Looks& looks) {
  const Timing& wanted = calls.task.timing;
  std::vector<Sample> samples;
  const double begin = raw_clock();
  Json batch = Json::array();
  double reported = raw_clock();
  const auto report = [&] {
    replies_.send(Phase::samples, {{"samples", batch}});
    batch = Json::array();
    reported = raw_clock();
  };
  const auto collect_enough = [&](const Timing& timing) {
    const double started = raw_clock();
    while (!are_enough(samples, timing, raw_clock() - started) &&
           !(gpu_ && are_enough_on_card(samples, timing))) {
      const int before = repeats;
      const Sample one = filled_sample(calls, repeats);
      if (repeats != before) {
        samples.clear();
        batch = Json::array();
      }
      samples.push_back(one);
      batch.push_back(encode(samples.back()));
      if (raw_clock() - reported > report_interval) report();
      if (!gpu_ && looks.due(raw_clock() - begin, one.seconds)) look(calls, one.seconds, looks);
    }
  };
  collect_enough(wanted);
  // One more try before the parent calls it unstable.
  if (static_cast<int>(samples.size()) >= wanted.min_samples && is_irreproducible(samples)) {
    Timing more = wanted;
    more.min_samples += static_cast<int>(samples.size());
    more.max_samples += static_cast<int>(samples.size());
    collect_enough(more);
  }
  report();
  if (!gpu_ && looks.number() == 0 && !cannot_win(samples, wanted))
    look(calls, samples.back().seconds, looks);
  return samples;
}

}  // namespace rooftune::run
