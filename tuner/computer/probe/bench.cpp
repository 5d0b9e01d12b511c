#include "probe/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/callback.h"
#include "core/version.h"
#include "probe/in_core_kernels.h"

namespace rooftune::probe {
namespace {

constexpr int windows_per_visit = 6;

bool computes(const Ceiling& ceiling) { return ceiling.kind == Ceiling::Kind::in_core; }
/// Long against the timer (30 ns) and the threads' start skew, short against a time slice (3 ms).
double window_seconds(const Ceiling& ceiling) { return computes(ceiling) ? 0.3e-3 : 0.7e-3; }
double tolerance(const Ceiling& ceiling) { return computes(ceiling) ? 0.005 : 0.03; }
/// The width of the vectors that run beside the clock's chain: the kernel's own.
int clock_bits(const Ceiling& ceiling, int vector_bits) {
  if (computes(ceiling)) return ceiling.simd_bits;
  const bool arithmetic =
      ceiling.mix == word(StreamMix::triad) || ceiling.mix == word(StreamMix::update);
  return arithmetic ? vector_bits : 64;
}
int vector_bits(const CpuFeatures& features) {
  const auto kernels = stream_kernels(features);
  return kernels.empty() ? 64 : kernels.front().simd_bits;
}

std::string method(const Ceiling& ceiling) {
  if (computes(ceiling))
    return fmt::format("{} instructions in {} chains, operands in registers, denormals flushed",
                       ceiling.mix, ceiling.ilp);
  if (const int misses = misses_of(ceiling); misses > 0)
    return fmt::format("{} dependent chain{} over a random cycle of lines, 64 B counted per step",
                       misses, misses > 1 ? "s" : "");
  if (ceiling.stride > 8)
    return fmt::format("8 B loaded every {} B, the whole line of 64 B counted", ceiling.stride);
  return "nominal bytes, no write-allocate counted";
}

}  // namespace

bool on_core_clock(const Ceiling& ceiling) {
  static const TextSet inner{"L1", "L2"};
  return computes(ceiling) || inner.count(ceiling.level) > 0;
}

Bench::Bench(const Cpus& cpus, const Topology& topology, const CpuFeatures& features, size_t bytes)
    : features_(features),
      vector_bits_(vector_bits(features)),
      team_(cpus),
      arena_(cpus, topology, bytes) {}

SharedBench bench_for(const CeilingList& ceilings, SharedBench kept) {
  double bytes = 0;  // a thread's
  for (const Ceiling& ceiling : ceilings)
    bytes = std::max(bytes, ceiling.working_set / ceiling.threads);
  if (kept && double(kept->arena_bytes()) >= bytes) return kept;
  const Topology host = topology();
  return std::make_shared<Bench>(host.cpus, host, cpu_features(), size_t(bytes));
}

void Bench::touch(Arena::Kind kind) {
  team_.run(1, [&](int index) { arena_.memory(kind, index).touch(arena_bytes()); });
}

Chosen Bench::add(Subjects& subjects, const CeilingList& plan) {
  Chosen added;
  for (const Ceiling& ceiling : plan) {
    if (ceiling.threads > threads()) continue;
    auto exercise = exercise_of(ceiling, features_, arena_);
    if (!exercise) continue;
    Subject& subject = subjects.emplace_back();
    subject.samples = Samples(tolerance(ceiling), on_core_clock(ceiling));
    subject.ceiling = ceiling;
    subject.exercise = std::move(exercise);
    added.push_back(&subject);
  }
  return added;
}

Windows Bench::windows(Subject& subject, int threads, int count, bool prepare) {
  Exercise& exercise = *subject.exercise;
  return team_.windows(
      threads, count, clock_bits(subject.ceiling, vector_bits_),
      [&](int index) {
        if (prepare) exercise.prepare(index);
        exercise.work(index);
      },
      [&](int index) { exercise.work(index); });
}

void Bench::calibrate(Subject& subject) {
  constexpr int tries = 3, most_rounds = 24;
  const double target = window_seconds(subject.ceiling);
  double fastest = 0;  // amounts per second; a preempted try is slower, and must not count
  for (int round = 0; round < most_rounds; ++round) {
    const auto amount = double(subject.exercise->amount);
    for (const Window& window : windows(subject, 1, tries, round == 0))
      fastest = std::max(fastest, amount / std::max(window.seconds, 1e-7));
    const double wanted = std::max(1.0, std::min(target * fastest, 64 * amount));
    subject.exercise->amount = std::llround(wanted);
    if (wanted < 1.3 * amount && wanted > 0.7 * amount) break;
  }
  subject.calibrated = true;
}

bool Bench::accept(Subject& subject, Windows windows) {
  const double target = window_seconds(subject.ceiling);
  const double least = std::ranges::min(windows, {}, &Window::seconds).seconds;
  if (least < target / 4) {
    // the calibration saw only disturbed windows: among such short ones, a disturbed one would look
    // best
    const double factor = std::min(8.0, target / std::max(least, 1e-7));
    subject.exercise->amount = std::llround(factor * double(subject.exercise->amount));
    subject.samples.restart();
    return false;
  }
  const double units = subject.exercise->units();
  if (subject.visits == 0 && least > 3 * target)  // threads share what one reaches alone
    subject.exercise->amount =
        std::max<int64_t>(1, std::llround(double(subject.exercise->amount) * target / least));
  keep_undisturbed(windows);
  for (const Window& window : windows) {
    // Otherwise the core clock moved within the window.
    if (!on_core_clock(subject.ceiling) || window.steady)
      subject.samples.add(units / window.seconds, window.clock);
  }
  return windows.front().undisturbed();
}

bool Bench::visit(Subject& subject) {
  if (!subject.calibrated) calibrate(subject);
  const double before = subject.best_rate();
  const bool undisturbed =
      accept(subject, windows(subject, subject.ceiling.threads, windows_per_visit, true));
  subject.count_visit(before);
  return undisturbed;
}

Ceiling measured(const Subject& subject) {
  const Samples& samples = subject.samples;
  return measured(
      subject.ceiling, samples,
      fmt::format("tune probe {}: best of {} windows of {} ms; {}", version, samples.windows(),
                  1e3 * window_seconds(subject.ceiling), method(subject.ceiling)),
      {});
}

void go_round(Bench& bench, Chosen subjects, double deadline, const Callback& tick,
              const Question& interrupted, size_t least_turns) {
  go_round(subjects, Turns{deadline, least_turns, 12, 6, tick, interrupted},
           [&](Subject& subject) { bench.visit(subject); });
}

}  // namespace rooftune::probe
