// Counting runs: a worker of their own, after everything was timed.
#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <iterator>

#include "core/seconds_since.h"
#include "counters/unfinished_run.h"
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

/// What a worker that counts is told, and its limits.
struct CountingTask {
  Json task, plan;
  const Setup& setup;
  const Demand& wanted;
  StepLimits limits;
  double start_seconds;
  std::filesystem::path scratch;
  std::size_t memory_bytes;
};

Counts counted_inside(const CountingTask& counting, const char* provider) {
  WorkerPool alone(counting.scratch, counting.memory_bytes, 1);
  const auto use =
      alone.worker(counting.wanted.environment, counting.setup, counting.start_seconds);
  if (!use.worker) throw NotCounted{use.ending->how + " while the worker started"};
  const Heard heard = converse(
      *use.worker, "count",
      {{"task", counting.task}, {"plan", counting.plan}, {"provider", provider}}, counting.limits);
  if (heard.ending)
    throw NotCounted{fmt::format("{}: {}", to_text(heard.ending->outcome), heard.detail)};
  if (!heard.counts) throw NotCounted{"the worker sent no counts"};
  return *heard.counts;
}

/// A file that a tool may have filled with anything; empty when it is not there.
std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The tool writes its table when the worker has gone.
void wait_for_end(RemoteWorker& worker, double seconds, const std::filesystem::path& log) {
  worker.request("leave", Json::object());
  const RemoteWorker::Answer answer = worker.next(seconds);
  if (!answer.ending) throw UnfinishedRun("the worker did not leave", text_of(log));
  if (answer.ending->outcome == Outcome::timed_out)
    throw UnfinishedRun("the tool did not end after the worker", text_of(log));
}

ProcessRun run_under(const CountingTask& counting, const Command& tool, std::int64_t calls) {
  const std::filesystem::path log = counting.scratch / "tool.log";
  std::filesystem::remove(log);
  RemoteWorker worker(counting.wanted.environment, log, counting.memory_bytes, tool);
  worker.request("setup", {{"setup", to_json(counting.setup)}});
  const RemoteWorker::Answer ready = worker.next(counting.start_seconds);
  if (ready.ending)
    throw UnfinishedRun(ready.ending->how + " while the worker started", text_of(log));
  if (ready.reply.at("phase") == "fault")
    throw UnfinishedRun("a worker cannot be set up: " + ready.reply.value("detail", ""), {});
  const Heard heard = converse(worker, "launch",
                               {{"task", counting.task}, {"plan", counting.plan}, {"calls", calls}},
                               counting.limits);
  if (heard.ending)
    throw UnfinishedRun(fmt::format("{}: {}", to_text(heard.ending->outcome), heard.detail),
                        text_of(log));
  wait_for_end(worker, counting.start_seconds, log);
  return {text_of(log), heard.call_seconds};
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
    const int capability =
        entrant.backend.name == "cuda" && machine.gpu ? machine.gpu->compute_capability : 0;
    const CountingPlan plan{machine.levels, wanted.team.threads, shared.warm, capability};
    CountingTask counting{to_json(task(artefact, wanted, std::nullopt)),
                          to_json(plan),
                          shared,
                          wanted,
                          steps(std::nullopt),
                          limits.first_call_seconds,
                          scratch,
                          limits.memory_bytes};
    counting.limits.call_seconds = limits.counting_seconds;
    counting.limits.counting_seconds = limits.counting_seconds;
    run.counts = provider.around ? provider.around(plan,
                                                   [&](const Command& tool, std::int64_t calls) {
                                                     return run_under(counting, tool, calls);
                                                   })
                                 : counted_inside(counting, provider.name);
  } catch (const NotCounted& fault) {
    run.absent_because = fault.because;
  } catch (const Error& error) {
    run.absent_because = sentence(error);
  }
  run.seconds = seconds_since(begin);
  return run;
}

}  // namespace rooftune
