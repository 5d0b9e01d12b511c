// Counting runs: a worker of their own, after everything was timed.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/file.h"
#include "core/seconds_since.h"
#include "counters/provider.h"
#include "run/host_evaluator.h"

namespace rooftune::run {
namespace {

std::string sentence(const Error& error) {
  return error.hint().empty() ? error.message() : error.message() + " (" + error.hint() + ")";
}

/// A counting worker's task and limits.
struct CountingTask {
  Json task;
  CountingPlan plan;
  const Setup& setup;
  const LaunchSettings& wanted;
  StepLimits limits;
  double start_seconds;
  std::filesystem::path scratch;
  std::size_t memory_bytes;
  double seconds;  ///< for all of it
  std::chrono::steady_clock::time_point begin;
};

Counts counted_inside(const CountingTask& counting, const char* provider) {
  WorkerPool alone(counting.scratch, counting.memory_bytes, 1);
  const auto use =
      alone.worker(counting.wanted.environment, counting.setup, counting.start_seconds);
  if (!use.worker) throw Error(use.ending->how + " while the worker started");
  CountingPlan plan = counting.plan;
  // Compiler and worker took their part. A reserve stays for an estimating provider.
  constexpr double budget_share = 0.8, least = 1e-3;
  plan.seconds = std::max(least, budget_share * (counting.seconds - seconds_since(counting.begin)));
  const WorkerReply reply = request(
      *use.worker, Action::count,
      {{"task", counting.task}, {"plan", encode(plan)}, {"provider", provider}}, counting.limits);
  if (reply.ending)
    throw Error(fmt::format("{}: {}", to_text(reply.ending->outcome), reply.detail));
  if (!reply.counts) throw Error("the worker sent no counts");
  return *reply.counts;
}

/// The tool writes its table when the worker has gone.
void wait_for_end(RemoteWorker& worker, double seconds, const std::filesystem::path& log) {
  worker.send(Action::leave, Json::object());
  const RemoteWorker::Answer answer = worker.next(seconds);
  if (!answer.ending) throw UnfinishedRun("the worker did not leave", text_if_readable(log));
  if (answer.ending->outcome == Outcome::timed_out)
    throw UnfinishedRun("the tool did not end after the worker", text_if_readable(log));
}

ProcessRun run_under(const CountingTask& counting, const Command& tool, std::int64_t calls) {
  const std::filesystem::path log = counting.scratch / "tool.log";
  std::filesystem::remove(log);
  RemoteWorker worker(counting.wanted.environment, log, counting.memory_bytes, tool);
  worker.send(Action::setup, {{"setup", encode(counting.setup)}});
  const RemoteWorker::Answer ready = worker.next(counting.start_seconds);
  if (ready.ending)
    throw UnfinishedRun(ready.ending->how + " while the worker started", text_if_readable(log));
  if (ready.phase == Phase::fault)
    throw UnfinishedRun("a worker cannot be set up: " + ready.reply.value("detail", ""), {});
  const WorkerReply reply =
      request(worker, Action::launch,
              {{"task", counting.task}, {"plan", encode(counting.plan)}, {"calls", calls}},
              counting.limits);
  if (reply.ending)
    throw UnfinishedRun(fmt::format("{}: {}", to_text(reply.ending->outcome), reply.detail),
                        text_if_readable(log));
  wait_for_end(worker, counting.start_seconds, log);
  return {text_if_readable(log), reply.call_seconds};
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
    const int capability = on_gpu && machine.gpu ? machine.gpu->compute_capability : 0;
    CountingTask counting{encode(task(artefact, wanted, std::nullopt)),
                          {machine.levels, wanted.team.threads, shared.warm, 0, capability},
                          shared,
                          wanted,
                          steps(std::nullopt),
                          limits_.first_call_seconds,
                          scratch_,
                          limits_.memory_bytes,
                          seconds,
                          begin};
    counting.limits.call_seconds = seconds;
    counting.limits.counting_seconds = seconds;
    const auto under = [&](const Command& tool, std::int64_t calls) {
      return run_under(counting, tool, calls);
    };
    run.counts = provider.around ? provider.around(counting.plan, under)
                                 : counted_inside(counting, provider.name);
  } catch (const Error& error) {
    run.absent_because = sentence(error);
  }
  run.seconds = seconds_since(begin);
  return run;
}

}  // namespace rooftune::run
