// The request that counts: one call of a validated variant under a provider, timed by nobody.
#include "run/worker.h"

namespace rooftune {

void Worker::count(const Json& request) {
  const Task task = task_from_json(request.at("task"));
  const CountingPlan plan = plan_from_json(request.at("plan"));
  const CounterProviderRow* row = counter_provider(request.at("provider").get<std::string>());
  if (!row || !row->open) throw Error("a request to count with a provider that cannot");
  const auto counter = row->open(plan);
  ArraySet& arrays = arrays_for(task.placement);
  double ignored = 0;
  const auto variant = validated(task, arrays, ignored, counter.get());
  const std::vector<void*> arguments = arrays.pointers(task.scalars);
  Launch launch;
  launch.call = [&] { variant->call(arguments); };
  launch.settle = [&] {
    plan.warm ? variant->call(arguments) : flush_->walk(*openmp_, task.team.threads);
  };
  const Counts counts = counter->count(launch);
  check_guards(arrays, "the kernel");
  replies_.send("counted", {{"counts", to_json(counts)}});
  replies_.send("done");
}

}  // namespace rooftune
