// One configuration after the other: build, run in a worker, judge.
#include "run/host_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "core/file.h"
#include "core/seconds_since.h"
#include "core/units.h"
#include "os/parallel.h"
#include "os/topology.h"
#include "run/implementation.h"
#include "run/sampler.h"
#include "trial/statistics.h"

namespace rooftune::run {
namespace {

using Clock = std::chrono::steady_clock;

/// Arrays with two placements: most searches change one memory knob at a time.
constexpr std::size_t sets_of_search = 2;

RunLimits completed(RunLimits limits, const Topology& host) {
  if (limits.memory_bytes == 0)
    limits.memory_bytes = static_cast<std::size_t>(0.8 * static_cast<double>(host.memory_bytes));
  return limits;
}

Study completed(Study study, const Topology& host) {
  if (study.threads <= 0) study.threads = static_cast<int>(host.cpus.size());
  return study;
}

}  // namespace

HostEvaluator::Implementation::Implementation(Study the_study, ArtefactCache& the_cache,
                                              std::filesystem::path the_scratch,
                                              const RunLimits& the_limits, const Topology& host)
    : study(completed(std::move(the_study), host)),
      cache(the_cache),
      scratch(std::move(the_scratch)),
      limits(completed(the_limits, host)),
      has_numa(host.numa_nodes.size() > 1),
      input(study, cache, scratch, limits),
      pool(scratch, limits.memory_bytes, 1) {}

Variant HostEvaluator::Implementation::to_variant(const Configuration& configuration) const {
  return {study.backend, *space, configuration};
}

std::vector<Variant> HostEvaluator::Implementation::to_variants(
    const std::vector<Configuration>& configurations) const {
  std::vector<Variant> variants;
  for (const Configuration& configuration : configurations)
    variants.push_back(to_variant(configuration));
  return variants;
}

Artefact HostEvaluator::Implementation::artefact(const Variant& variant) {
  if (!variant.kept.library.empty()) return variant.kept;
  return cache.variant(study.kernel, variant.backend, variant.space, variant.configuration,
                       limits.compile_seconds);
}

void HostEvaluator::Implementation::build(const std::vector<Variant>& variants) {
  if (study.builders < 2 || variants.size() < 2) return;
  const auto begin = Clock::now();
  std::vector<double> seconds(variants.size());
  in_parallel(variants.size(), static_cast<std::size_t>(study.builders),
              [&](std::size_t i) { seconds[i] = artefact(variants[i]).seconds; });
  // The wait is shared out by their compilers' seconds and so counted once.
  const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  const double share = all > 0 ? seconds_since(begin) / all : 0;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const double waiting = share * seconds[i];
    if (seconds[i] > 0)
      built_ahead[{variants[i].backend.name, variants[i].configuration.key()}] = {seconds[i], 0, 0,
                                                                                  waiting, waiting};
  }
}

Cost HostEvaluator::Implementation::build_cost(const Variant& variant, const Artefact& artefact) {
  Cost cost{artefact.seconds, 0, 0, 0, artefact.seconds};
  const auto ahead = built_ahead.find({variant.backend.name, variant.configuration.key()});
  if (ahead == built_ahead.end()) return cost;
  cost += ahead->second;
  built_ahead.erase(ahead);
  return cost;
}

LaunchSettings HostEvaluator::Implementation::settings(const Variant& variant) const {
  LaunchSettings result = launch_settings(study.kernel, variant.space, variant.configuration,
                                          input.facts(), study.threads, has_numa);
  if (variant.backend.needs_kokkos()) {
    // Kokkos starts once per process: every configuration has one of its own.
    result.environment["ROOFTUNE_CONFIGURATION"] = variant.configuration.key();
    result.environment["KOKKOS_NUM_THREADS"] = std::to_string(result.team.threads);
  }
  // A knob wins over the default.
  result.environment.merge(default_environment(study.threads));
  return result;
}

Facts HostEvaluator::Implementation::load() {
  Facts facts = input.load();
  is_loaded = true;
  // A worker for another environment is worth keeping when its arrays are small beside the memory.
  pool.keep(study.backend.needs_kokkos()
                ? 1
                : std::min<std::size_t>(3, input.sets_in_memory() / sets_of_search));
  return facts;
}

const Setup& HostEvaluator::Implementation::setup() {
  if (!space) throw std::logic_error("HostEvaluator: use() comes before evaluate()");
  if (!is_loaded) load();
  const Variant baseline = to_variant(space->baseline());
  // The emulation is slower than any reference.
  std::optional<Facts> smaller;
  if (study.gpu.mode == GpuSetup::Mode::card)
    smaller = validation_problem(study.kernel, input.facts());
  return input.ready(settings(baseline).scalars, smaller.has_value(), [&] {
    if (smaller) require_right_baseline(*smaller);
    return artefact(baseline);
  });
}

void HostEvaluator::Implementation::require_right_baseline(const Facts& parameters) {
  Study small = study;
  small.parameters = parameters;
  HostEvaluator evaluator(std::move(small), cache, scratch / "small", limits);
  evaluator.facts();
  evaluator.use(*space);
  const Trial trial = evaluator.evaluate(space->baseline(), std::nullopt);
  if (trial.outcome != Outcome::ok)
    throw Error(fmt::format("the baseline cannot stand in for the reference, which would take "
                            "minutes: at the kernel's default size it is {}: {}",
                            to_text(trial.outcome), trial.detail),
                study.backend.source.string(),
                "mend the default of every knob, or choose a smaller --problem");
}

StepLimits HostEvaluator::Implementation::steps(std::optional<double> incumbent) const {
  StepLimits steps;
  steps.memory_bytes_moved = 2 * input.array_bytes();
  steps.foreign_seconds = limits.first_call_seconds;
  steps.call_seconds = limits.first_call_seconds;
  if (incumbent) {
    steps.call_seconds = std::max(limits.floor_seconds, limits.factor * *incumbent);
    steps.call_rule = fmt::format(" (the best needs {})", to_text(Seconds(*incumbent)));
  }
  return steps;
}

double HostEvaluator::Implementation::share(double prepare_seconds) const {
  return study.amortize > 0 ? prepare_seconds / study.amortize : 0;
}

Task HostEvaluator::Implementation::task(const Artefact& artefact, const LaunchSettings& wanted,
                                         std::optional<double> incumbent) const {
  Task result;
  result.library = artefact.library;
  result.image = artefact.image;
  result.scalars = wanted.scalars;
  result.placement = wanted.placement;
  result.team = wanted.team;
  result.timing = {limits.sample_seconds, limits.trial_seconds, limits.min_samples,
                   limits.max_samples, incumbent};
  result.timing.energy = study.ranked_by == Figure::energy;
  // A slower variant may need less energy.
  if (result.timing.energy) result.timing.incumbent.reset();
  return result;
}

WorkerReply HostEvaluator::Implementation::reply(const Artefact& artefact,
                                                 const LaunchSettings& wanted,
                                                 std::optional<double> incumbent) {
  Setup shared = setup();
  shared.array_sets = std::min(input.sets_in_memory(), sets_of_search);
  const WorkerPool::Use use = pool.worker(wanted.environment, shared, limits.first_call_seconds);
  if (!use.worker) {
    WorkerReply none;
    none.ending = use.ending;
    none.detail = use.ending->how + " while the worker started";
    return none;
  }
  try {
    WorkerReply result =
        request(*use.worker, Action::trial, {{"task", encode(task(artefact, wanted, incumbent))}},
                steps(incumbent));
    // A trial's process is a copy of the worker, and the worker lives on; one with a card is no
    // copy.
    if (result.ending && (use.worker->ended() || shared.gpu.mode == GpuSetup::Mode::card))
      pool.drop(use.worker);
    return result;
  } catch (...) {
    pool.drop(use.worker);
    throw;
  }
}

void HostEvaluator::Implementation::judge(const WorkerReply& reply, Trial& trial) const {
  trial.detail = reply.detail;
  trial.cost.validate += reply.validate_seconds;
  trial.cost.time += reply.time_seconds;
  if (reply.ending) {
    trial.outcome = reply.ending->outcome;
    return;
  }
  Measurement measurement;
  measurement.samples = reply.samples;
  measurement.repeats = reply.repeats;
  measurement.prepare_seconds = reply.prepare_seconds;
  measurement.max_error = reply.max_error;
  measurement.card = reply.card;
  summarise(measurement);
  measurement.amortised_seconds = share(reply.prepare_seconds);
  for (double* figure : {&measurement.seconds.value, &measurement.seconds.low,
                         &measurement.seconds.high, &measurement.best, &measurement.median})
    *figure += measurement.amortised_seconds;
  // The worker has tried twice; a variant dropped early has fewer samples, and they need not agree.
  if (static_cast<int>(reply.samples.size()) >= limits.min_samples &&
      is_irreproducible(reply.samples)) {
    trial.outcome = Outcome::unstable;
    trial.detail = fmt::format("the three fastest of {} samples differ by more than three times",
                               reply.samples.size());
  }
  if (study.ranked_by == Figure::energy && !energy(measurement)) {
    trial.outcome = Outcome::unstable;
    trial.detail = "the card's counter of energy did not move twice while calls ran";
  }
  trial.measurement = std::move(measurement);
}

void HostEvaluator::Implementation::try_out(const Artefact& artefact, const Variant& variant,
                                            std::optional<double> incumbent, Trial& trial) {
  setup();
  const LaunchSettings wanted = settings(variant);
  WorkerReply answer = reply(artefact, wanted, incumbent);
  // A kill from outside says nothing about the variant, once.
  if (answer.ending && answer.ending->from_outside) {
    trial.cost.validate += answer.validate_seconds;
    answer = reply(artefact, wanted, incumbent);
  }
  judge(answer, trial);
}

Trial HostEvaluator::Implementation::evaluate(const Variant& variant,
                                              std::optional<double> incumbent) {
  // The reference's run belongs to no trial.
  setup();
  const auto begin = Clock::now();
  Trial trial;
  trial.configuration = variant.configuration;
  trial.started = utc_now();
  const Artefact artefact = this->artefact(variant);
  trial.artefact = artefact.key;
  trial.cost = build_cost(variant, artefact);
  trial.detail = artefact.error;
  const std::string spill_reason =
      excessive_spill_reason(kernel_resources(artefact.image, variant.backend.name));
  if (!artefact.error.empty()) {
    trial.outcome = Outcome::build_failed;
  } else if (!spill_reason.empty()) {
    trial.outcome = Outcome::pruned;
    trial.detail = spill_reason;
  } else {
    try_out(artefact, variant, incumbent, trial);
  }
  trial.cost.total += seconds_since(begin);
  return trial;
}

GpuPlan HostEvaluator::Implementation::plan(const Configuration& configuration) {
  const Variant variant = to_variant(configuration);
  GpuPlan result;
  result.artefact = artefact(variant);
  result.artefact.seconds = build_cost(variant, result.artefact).build;
  if (!result.artefact.error.empty()) return result;
  result.kernels = kernel_resources(result.artefact.image, variant.backend.name);
  const LaunchSettings wanted = settings(variant);
  const WorkerPool::Use use =
      pool.worker(wanted.environment, input.planned(), limits.first_call_seconds);
  if (!use.worker) {
    result.fault = use.ending->how + " while the worker started";
    return result;
  }
  use.worker->send(Action::plan, {{"task", encode(task(result.artefact, wanted, std::nullopt))}});
  const RemoteWorker::Answer answer = use.worker->next(limits.first_call_seconds);
  if (answer.ending || answer.phase == Phase::fault) {
    result.fault = answer.ending ? answer.ending->how : answer.reply.value("detail", "");
    pool.drop(use.worker);
    return result;
  }
  result.launches = member<std::vector<PlannedLaunch>>(answer.reply, "launches");
  result.device_bytes = member<std::int64_t>(answer.reply, "device_bytes");
  return result;
}

HostEvaluator::HostEvaluator(Study study, ArtefactCache& cache, std::filesystem::path scratch,
                             RunLimits limits)
    : implementation_(std::make_unique<Implementation>(std::move(study), cache, std::move(scratch),
                                                       limits, topology())) {}

HostEvaluator::~HostEvaluator() = default;

Facts HostEvaluator::facts() { return implementation_->load(); }

void HostEvaluator::use(const SearchSpace& space) { implementation_->space = space; }

void HostEvaluator::build(const std::vector<Configuration>& configurations) {
  implementation_->build(implementation_->to_variants(configurations));
}

Trial HostEvaluator::evaluate(const Configuration& configuration, std::optional<double> incumbent) {
  return implementation_->evaluate(implementation_->to_variant(configuration), incumbent);
}

GpuPlan HostEvaluator::plan(const Configuration& configuration) {
  return implementation_->plan(configuration);
}

Rounds HostEvaluator::race(const std::vector<Configuration>& configurations, int rounds,
                           std::uint64_t seed, const Between& between) {
  return implementation_->race(implementation_->to_variants(configurations), rounds, seed, between);
}

CountedRun HostEvaluator::count(const Configuration& configuration,
                                const CounterProviderRow& provider, const Machine& machine,
                                double seconds) {
  return implementation_->count(implementation_->to_variant(configuration), provider, machine,
                                seconds);
}

Trial HostEvaluator::evaluate(const Variant& variant) {
  return implementation_->evaluate(variant, std::nullopt);
}

Rounds HostEvaluator::race(const std::vector<Variant>& variants, int rounds, std::uint64_t seed,
                           const Between& between) {
  return implementation_->race(variants, rounds, seed, between);
}

}  // namespace rooftune::run
