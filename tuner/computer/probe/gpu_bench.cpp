#include "probe/gpu_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/version.h"
#include "probe/bench.h"

namespace rooftune::probe {
namespace {

constexpr int gpu_windows_per_visit = 4;

double gpu_tolerance(const Ceiling& ceiling) {
  return ceiling.kind == Ceiling::Kind::in_core ? 0.005 : 0.02;
}

std::string method(const GpuTask& task, double walked) {
  const Ceiling& ceiling = task.ceiling;
  switch (task.shape) {
    case GpuTask::Shape::in_core:
      return ceiling.mix == tensor_mix
                 ? fmt::format("mma.sync in {} tiles per warp, random operands", ceiling.ilp)
                 : fmt::format("{} in {} chains per thread, random operands", ceiling.mix,
                               ceiling.ilp);
    case GpuTask::Shape::strided:
      return fmt::format("8 B loaded every {} B, only these counted", ceiling.stride);
    case GpuTask::Shape::random:
      return fmt::format("words of 8 B at random places of {:.0f} MB, {} under way per thread",
                         walked / 1e6, gpu_items);
    case GpuTask::Shape::chase:
      return "one chain through all lines of 128 B in random order, 8 B counted per step";
    default:
      return fmt::format("nominal bytes, random numbers, {:.3g} MB walked", walked / 1e6);
  }
}

}  // namespace

GpuSubject GpuBench::subject(const GpuTask& task) const {
  GpuSubject result;
  result.task = task;
  result.exercise = std::make_unique<GpuExercise>(task, memory_);
  result.samples = Samples(gpu_tolerance(task.ceiling), on_core_clock(task.ceiling));
  return result;
}

void GpuBench::calibrate(GpuExercise& exercise) const {
  constexpr int most_rounds = 24;
  constexpr double most = 1e12;  // work without time never fills a window
  for (int round = 0; round < most_rounds; ++round) {
    const double seconds = std::max(exercise.run().seconds, 1e-7);
    const auto amount = static_cast<double>(exercise.amount);
    const double wanted =
        std::clamp(window_seconds_ / seconds * amount, 1.0, std::min(64 * amount, most));
    exercise.amount = std::llround(wanted);
    if (wanted < 1.3 * amount && wanted > 0.7 * amount) break;
  }
}

void GpuBench::visit(GpuSubject& subject) const {
  GpuExercise& exercise = *subject.exercise;
  if (!subject.calibrated) calibrate(exercise);
  subject.calibrated = true;
  const double before = subject.best_rate();
  exercise.run();  // replaces the last exercise's data in the caches
  for (int i = 0; i < gpu_windows_per_visit; ++i) {
    const GpuWindow window = exercise.run();
    if (window.seconds > 0)
      subject.samples.add(exercise.units() / window.seconds, window.cycles / window.seconds);
  }
  subject.count_visit(before);
}

double GpuBench::quick_rate(const GpuTask& task, int windows) const {
  GpuExercise exercise(task, memory_);
  calibrate(exercise);
  double best = 0;
  for (int i = 0; i < windows; ++i)
    best = std::max(best, exercise.units() / std::max(exercise.run().seconds, 1e-9));
  return best;
}

Ceiling GpuBench::measured(const GpuSubject& subject) const {
  Ceiling ceiling = subject.task.ceiling;
  const Samples& samples = subject.samples;
  if (ceiling.kind != Ceiling::Kind::in_core) ceiling.working_set = subject.exercise->walked();
  return probe::measured(
      ceiling, samples,
      fmt::format("tune probe {}: best of {} windows of {:g} ms, {} x {} threads; {}", version,
                  samples.windows(), 1e3 * window_seconds_, subject.exercise->blocks(),
                  subject.exercise->threads(), method(subject.task, subject.exercise->walked())),
      subject.fault);
}

void GpuBench::go_round(const std::vector<GpuSubject*>& subjects, double deadline,
                        const std::function<void()>& tick,
                        const std::function<bool()>& interrupted) const {
  probe::go_round(subjects, Rounds{deadline, subjects.size(), 8, 4, tick, interrupted},
                  [&](GpuSubject& subject) { visit(subject); });
}

}  // namespace rooftune::probe
