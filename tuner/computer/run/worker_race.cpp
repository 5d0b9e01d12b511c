// The requests of a race: configurations stand ready beside each other, and are timed in turn.
#include "run/process_state.h"
#include "run/sampler.h"
#include "run/worker.h"

namespace rooftune::run {
namespace {

/// After a sample of a longer call, data in caches no longer matters to the next one.
constexpr double long_call = 0.25;
/// Before a sample of a race, uncounted [s].
constexpr double settling = 0.01;
/// Retakes of a sample with its thread switched out: a race has one sample a round.
constexpr int most_retakes = 3;
/// A round's pair of readings is one of many.
constexpr Watch energy_of_round{0, most_energy_round, 5};

}  // namespace

void Worker::enter_race(const Json& request) {
  const ProcessState before;
  Entry entry;
  entry.task = member<Task>(request, "task");
  ArraySet& arrays = arrays_for(entry.task.placement);
  entry.variant = validated(entry.task, arrays, entry.call_seconds);
  entry.prepared_for = arrays.serial();
  const std::vector<void*> arguments = arrays.pointers(entry.task.scalars);
  const auto call = [&] { entry.variant->call(arguments); };
  if (gpu_) gpu_->choose_launching(call, entry.call_seconds);
  entry.repeats = calls_per_sample(entry.task, call, entry.call_seconds);
  replies_.send(Phase::calibrated, {{"repeats", entry.repeats}});
  check_guards(arrays, "the kernel");
  if (gpu_) entry.lifetime = gpu_->lifetime;
  put_back(before, entry.task);
  entries_[member<int>(request, "entry")] = std::move(entry);
  replies_.send(Phase::done);
}

Worker::Entry& Worker::entered(const Json& request) {
  const auto found = entries_.find(member<int>(request, "entry"));
  if (found == entries_.end()) throw Error("nobody entered the race with this number");
  return found->second;
}

void Worker::sample_entry(const Json& request) {
  const ProcessState before;
  Entry& entry = entered(request);
  ArraySet& arrays = arrays_for(entry.task.placement);
  const std::vector<void*> arguments = arrays.pointers(entry.task.scalars);
  openmp_->set(entry.task.team);
  if (gpu_) gpu_->use(entry.task);
  // After making room arrays lie elsewhere: pointers kept by prepare are void.
  const unsigned lifetime = gpu_ ? gpu_->lifetime : 0;
  if (entry.prepared_for != arrays.serial() || entry.lifetime != lifetime)
    prepare(*entry.variant, arguments);
  entry.prepared_for = arrays.serial();
  entry.lifetime = lifetime;
  const auto call = [&] { entry.variant->call(arguments); };
  // The last entry left its own data in the caches and a team of its own size; and a team just
  // awake may share one core until the scheduler spreads it.
  const double settled = raw_clock() + (entry.task.team.threads > 1 ? settling : 0);
  if (entry.call_seconds < long_call) {
    do call_as_timed(*entry.variant, arguments);
    while (raw_clock() < settled);
  }
  Sample one = filled_sample(entry.task, call, entry.repeats);
  for (int i = 0; i < most_retakes && !one.clean(); ++i)
    one = filled_sample(entry.task, call, entry.repeats);
  check_guards(arrays, "the kernel");
  put_back(before, entry.task);
  replies_.send(Phase::samples, {{"samples", Json::array({encode(one)})}});
  if (entry.task.timing.energy) report_device(call, {one}, energy_of_round);
  replies_.send(Phase::done);
}

void Worker::check_entry(const Json& request) {
  const ProcessState before;
  Entry& entry = entered(request);
  ArraySet& arrays = arrays_for(entry.task.placement);
  openmp_->set(entry.task.team);
  if (gpu_) gpu_->use(entry.task);
  check_again(entry.task, arrays, *entry.variant);
  put_back(before, entry.task);
  replies_.send(Phase::done);
}

}  // namespace rooftune::run
