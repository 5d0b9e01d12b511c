// Counting runs: a worker of their own, after everything was timed.
#include <fmt/format.h>

#include <chrono>

#include "run/implementation.h"

namespace rooftune {
namespace {

/// The run ended without counts, for a reason that a reader will ask for.
struct NotCounted {
  std::string because;
};

std::string sentence(const Error& error) {
  return error.hint().empty() ? error.message() : error.message() + " (" + error.hint() + ")";
}

}  // namespace

CountedRun HostEvaluator::Implementation::count(const Entrant& entrant,
                                                const CounterProviderRow& provider,
                                                const Machine& machine) {
  const auto begin = std::chrono::steady_clock::now();
  CountedRun run;
  run.configuration = entrant.configuration;
  run.provider = provider.name;
  try {
    if (provider.own_build && entrant.backend.name == "cuda")
      throw NotCounted{"the code of a graphics card is not traced"};
    const Setup shared = setup();
    const Artefact artefact =
        provider.own_build ? cache.counting_variant(study.kernel, entrant.backend, entrant.space,
                                                    entrant.configuration, limits.compile_seconds)
                           : cache.variant(study.kernel, entrant.backend, entrant.space,
                                           entrant.configuration, limits.compile_seconds);
    if (!artefact.error.empty())
      throw NotCounted{"the build that counts failed: " + artefact.error};
    const Demand wanted = assigned(entrant);
    // Room for its arrays, and nobody else in the caches.
    pool.clear();
    WorkerPool alone(scratch, limits.memory_bytes, 1);
    const auto use = alone.worker(wanted.environment, shared, limits.first_call_seconds);
    if (!use.worker) throw NotCounted{use.ending->how + " while the worker started"};
    StepLimits limits_of_steps = steps(std::nullopt);
    limits_of_steps.call_seconds = limits.counting_seconds;
    limits_of_steps.counting_seconds = limits.counting_seconds;
    const CountingPlan plan{machine.levels, wanted.team.threads, shared.warm};
    const Heard heard = converse(*use.worker, "count",
                                 {{"task", to_json(task(artefact, wanted, std::nullopt))},
                                  {"plan", to_json(plan)},
                                  {"provider", provider.name}},
                                 limits_of_steps);
    if (heard.ending)
      throw NotCounted{fmt::format("{}: {}", to_text(heard.ending->outcome), heard.detail)};
    if (!heard.counts) throw NotCounted{"the worker sent no counts"};
    run.counts = heard.counts;
  } catch (const NotCounted& fault) {
    run.absent_because = fault.because;
  } catch (const Error& error) {
    run.absent_because = sentence(error);
  }
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return run;
}

}  // namespace rooftune
