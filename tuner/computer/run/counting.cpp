// Counting runs: a worker of their own, after everything was timed.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/seconds_since.h"
#include "counters/provider.h"
#include "run/host_evaluator.h"

namespace rooftune::run {
namespace {

std::string sentence(const Error& error) {
  return error.hint().empty() ? error.message() : error.message() + " (" + error.hint() + ")";
}

/// Throws Error for a bad end.
Counts counted(const WorkerReply& reply) {
  if (reply.ending)
    throw Error(fmt::format("{}: {}", to_text(reply.ending->outcome), reply.detail));
  if (!reply.counts) throw Error("the worker sent no counts");
  return *reply.counts;
}

}  // namespace

CountedRun HostEvaluator::count(const Configuration& configuration,
                                const CounterProviderRow& provider, const Machine& machine,
                                double seconds) {
  const auto begin = std::chrono::steady_clock::now();
  const Variant variant = to_variant(configuration);
  const bool on_gpu = runs_on_gpu(variant.backend.name);
  CountedRun run;
  run.configuration = configuration;
  run.provider = provider.name;
  try {
    std::optional<Weaving> weaving;
    if (provider.own_build()) weaving = {provider.weaving_version, provider.weave};
    if (weaving && on_gpu) throw Error("the code of a graphics card is not traced");
    const Setup& shared = setup();
    const Artefact artefact = cache_.variant(study_.kernel, variant.backend, variant.space,
                                             configuration, limits_.compile_seconds, weaving);
    if (!artefact.error.empty()) throw Error("the build that counts failed: " + artefact.error);
    const LaunchSettings wanted = settings(variant);
    // Free memory for its arrays, and undisturbed caches.
    pool_.clear();
    StepLimits limits = steps(std::nullopt);
    limits.call_seconds = limits.counting_seconds = seconds;
    WorkerPool alone(limits_.memory_bytes, 1);
    const auto use = alone.worker(wanted.environment, shared, limits_.first_call_seconds);
    if (!use.worker) throw Error(use.ending->how + " while the worker started");
    // Compiler and worker took their part. A reserve stays for an estimating provider.
    constexpr double budget_share = 0.6, least = 1e-3;
    const CountingPlan plan{machine.levels, wanted.team.threads, shared.warm,
                            std::max(least, budget_share * (seconds - seconds_since(begin)))};
    run.counts = counted(request(*use.worker, Action::count,
                                 {{"task", encode(task(artefact, wanted, std::nullopt))},
                                  {"plan", encode(plan)},
                                  {"provider", provider.name}},
                                 limits));
  } catch (const Error& error) {
    run.absent_because = sentence(error);
  }
  run.seconds = seconds_since(begin);
  return run;
}

}  // namespace rooftune::run
