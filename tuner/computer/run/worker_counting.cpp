// The requests for counts: one call of a validated variant under a provider, or calls for a tool
// around this process; none is timed.
#include <chrono>

#include "run/sampler.h"
#include "run/worker.h"

namespace rooftune::run {
namespace {

/// Between its start and its end a profiler around the process looks at the card.
class ProfiledSpan {
 public:
  explicit ProfiledSpan(GpuMachine* card) : card_(card) {
    if (card_) card_->profile(true);
  }
  ~ProfiledSpan() {
    if (card_) card_->profile(false);
  }
  ProfiledSpan(const ProfiledSpan&) = delete;
  ProfiledSpan& operator=(const ProfiledSpan&) = delete;

 private:
  GpuMachine* card_;
};

}  // namespace

void Worker::count(const Json& request) {
  const Task task = member<Task>(request, "task");
  const auto plan = member<CountingPlan>(request, "plan");
  const CounterProviderRow* row = counter_provider(member<std::string>(request, "provider"));
  if (!row || !row->open) throw Error("a request to count with a provider that cannot");
  const auto counter = row->open(plan);
  ArraySet& arrays = arrays_for(task.placement);
  const double begin = raw_clock();
  double first = 0;
  const auto variant = validated(task, arrays, first, counter.get());
  const std::vector<void*> arguments = arrays.pointers(task.scalars);
  Launch launch;
  launch.call = [&] { variant->call(arguments); };
  launch.settle = [&] {
    if (plan.warm)
      variant->call(arguments);
    else if (gpu_)
      gpu_->flush();
    else
      flush_->walk(*openmp_, task.team.threads);
  };
  const Counts counts = counter->count(launch);
  check_guards(arrays, "the kernel");
  // Its timing has checked it: here only where there is time left for the counts.
  if (plan.seconds <= 0 || raw_clock() - begin + first + prepare_seconds_ < plan.seconds)
    check_again(task, arrays, *variant);
  replies_.send(Phase::counted, {{"counts", to_json(counts)}});
  replies_.send(Phase::done);
}

void Worker::launch(const Json& request) {
  const Task task = member<Task>(request, "task");
  const auto plan = member<CountingPlan>(request, "plan");
  const auto calls = member<std::int64_t>(request, "calls");
  ArraySet& arrays = arrays_for(task.placement);
  double ignored = 0;
  const auto variant = validated(task, arrays, ignored);
  const std::vector<void*> arguments = arrays.pointers(task.scalars);
  if (plan.warm)
    variant->call(arguments);
  else if (gpu_)
    gpu_->flush();
  settle();
  const auto begin = std::chrono::steady_clock::now();
  {
    const ProfiledSpan span(gpu_.get());
    for (std::int64_t i = 0; i < calls; ++i) variant->call(arguments);
    settle();
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  check_guards(arrays, "the kernel");
  check_again(task, arrays, *variant);
  replies_.send(Phase::launched, {{"seconds", spent.count() / static_cast<double>(calls)}});
  replies_.send(Phase::done);
}

}  // namespace rooftune::run
