// What comes beside trials: interleaved rounds, every configuration once per round, in a new order
// each time; and counting runs, in a separate worker, after everything was timed.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <tuple>

#include "core/list.h"
#include "core/rng.h"
#include "core/seconds_since.h"
#include "counters/provider.h"
#include "run/host_evaluator.h"
#include "run/program_builds.h"
#include "trial/statistics.h"

namespace rooftune::run {
namespace {

/// Equal artefacts would share their static state in one process; copies do not.
fs::path own_copy(const fs::path& library, const fs::path& folder, size_t number) {
  fs::create_directories(folder);
  const auto copy = folder / fmt::format("{}.so", number);
  fs::copy_file(library, copy, fs::copy_options::overwrite_existing);
  return copy;
}

/// A configuration in the race failed; the rounds before it stand.
struct RaceFault {
  size_t runner;  ///< counted in the order of entering
  std::string text;
};

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

class HostEvaluator::RaceTrack {
 public:
  /// Races in a worker from the search, or in fresh ones, one for each environment.
  RaceTrack(HostEvaluator& evaluator, size_t environments, bool goes_on)
      : evaluator_(evaluator),
        setup_(goes_on ? evaluator.setup_of_search() : evaluator.setup()),
        fresh_(evaluator.limits_.memory_bytes, environments),
        pool_(goes_on ? evaluator.pool_ : fresh_),
        copies_(evaluator.scratch_ / "race" / std::to_string(++evaluator.races_)) {
    // All workers together share the room for one.
    if (!goes_on)
      setup_.array_sets = std::max<size_t>(1, evaluator.input_.sets_in_memory() / environments);
  }
  void enter(const Variant& variant) {
    const size_t runner = runners_.size();
    const Artefact artefact = evaluator_.artefact(variant);
    if (!artefact.error.empty()) throw RaceFault{runner, "build_failed: " + artefact.error};
    const LaunchSettings wanted = evaluator_.settings(variant);
    // A pool may renew a worker that has served often, with the runners in it.
    RemoteWorker*& worker = workers_[wanted.environment];
    if (!worker) {
      const auto use = evaluator_.worker(pool_, wanted, setup_);
      if (!use.worker) throw RaceFault{runner, use.ending->how};
      worker = use.worker;
    }
    Task task = evaluator_.task(artefact, wanted, std::nullopt);
    task.library = own_copy(artefact.library, copies_, runner);
    runners_.push_back({worker});
    const Measurement measured = reply(runner, Action::enter, {{"task", encode(task)}}).measured;
    runners_.back().share = evaluator_.share(measured.prepare_seconds);
    if (!measured.memory().empty()) runners_.back().memory = measured.remembers->value;
  }
  /// One more round for those still in it, added to `rounds`.
  void round(uint64_t seed, uint64_t number, Rounds& rounds) {
    Numbers seconds(runners_.size());
    Disturbed disturbed;
    for (const size_t i : shuffled(runners_.size(), Rng(seed, number))) {
      if (runners_[i].left) continue;
      const WorkerReply timed = reply(i, Action::sample);
      if (timed.measured.samples.empty()) throw RaceFault{i, "no sample came"};
      const Sample& sample = timed.measured.samples.front();
      seconds[i] = sample.seconds * runners_[i].memory + runners_[i].share;
      if (!sample.clean()) disturbed.push_back({rounds.seconds.size(), i, sample.lost});
    }
    append(rounds.disturbed, disturbed);
    rounds.seconds.push_back(std::move(seconds));
  }
  /// It races no more; its result is checked all the same.
  void leave(size_t runner) { runners_[runner].left = true; }
  /// Looks at the fastest so far: a winner was seen right on many inputs. check() tells the faults.
  void look(const Rounds& rounds) {
    std::optional<size_t> fastest;
    double least = 0;
    for (const size_t i : indices(runners_)) {
      if (runners_[i].left) continue;
      Numbers seconds;
      for (const auto& round : rounds.seconds) seconds.push_back(round[i]);
      const double middle = quantile(std::move(seconds), 0.5);
      if (!fastest || middle < least) std::tie(fastest, least) = std::pair(i, middle);
    }
    if (fastest) reply(*fastest, Action::look);
  }
  /// Configurations with a wrong result now.
  std::vector<RaceFault> check() {
    std::vector<RaceFault> refuted;
    for (const size_t i : indices(runners_)) {
      // Ended by an earlier entry; the others are checked again after its exit.
      if (runners_[i].worker->ended()) continue;
      const WorkerReply checked = asked(i, Action::check);
      if (checked.ending && !checked.ending->from_outside)
        refuted.push_back({i, "in a race: " + checked.detail});
    }
    return refuted;
  }

 private:
  /// A configuration ready in a worker.
  struct Runner {
    RemoteWorker* worker;
    double share = 0;   ///< conversion per call, added to every time [s]
    double memory = 1;  ///< every time's factor on new inputs over those that it has seen
    bool left = false;
  };
  /// Runners are known to their workers by their numbers.
  WorkerReply asked(size_t runner, Action action, Json body = {}) {
    body["entry"] = runner;
    return request(*runners_[runner].worker, action, std::move(body),
                   evaluator_.steps(std::nullopt));
  }

  WorkerReply reply(size_t runner, Action action, Json body = {}) {
    WorkerReply result = asked(runner, action, std::move(body));
    if (result.ending)
      throw RaceFault{runner,
                      fmt::format("{}: {}", to_text(result.ending->outcome), result.detail)};
    return result;
  }

  HostEvaluator& evaluator_;
  Setup setup_;
  WorkerPool fresh_;
  WorkerPool& pool_;
  std::map<WorkerPool::Environment, RemoteWorker*> workers_;
  fs::path copies_;  ///< artefacts for this race alone: a loaded one must not change
  std::vector<Runner> runners_;
};

Rounds HostEvaluator::race(const Variants& variants, const RacePlan& how, const Between& between) {
  setup();
  build(variants);
  std::vector<WorkerPool::Environment> environments;
  for (const Variant& variant : variants) {
    add_once(environments, settings(variant).environment);
  }
  // Fresh workers with free memory: leftovers from the search must not decide the race. With a card
  // a trial leaves nothing there but what the study's arrays hold, and that is useful.
  const bool goes_on = is_on_card() && environments.size() == 1;
  if (!goes_on) pool_.clear();
  Rounds result;
  const auto failed = [&](const RaceFault& fault) {
    result.failed_configuration = fault.runner;
    result.fault = variants[fault.runner].configuration.key() + ": " + fault.text;
  };
  try {
    std::optional<RaceTrack> track;
    const auto enter = [&](bool there) {
      track.emplace(*this, std::max<size_t>(environments.size(), 1), there);
      for (const Variant& variant : variants) track->enter(variant);
    };
    try {
      enter(goes_on);
    } catch (const RaceFault&) {
      // An earlier variant may have spoilt what stays on a card.
      if (!goes_on) throw;
      pool_.clear();
      enter(false);
    }
    for (int round = 0; round < how.rounds; ++round) {
      track->round(how.seed, round, result);
      track->look(result);
      const AfterRound now = between ? between(result) : AfterRound{};
      if (now.over) break;
      for (const size_t runner : now.leave) track->leave(runner);
    }
    const std::vector<RaceFault> refuted = track->check();
    for (const RaceFault& one : refuted)
      result.refuted.push_back({variants[one.runner].configuration, one.text});
    if (!refuted.empty()) {
      result.seconds.clear();
      result.disturbed.clear();
      failed({refuted.front().runner, "wrong_result: " + refuted.front().text});
    }
  } catch (const RaceFault& fault) {
    failed(fault);
  }
  if (!result.fault.empty()) pool_.clear();
  return result;
}

Artefact HostEvaluator::artefact_to_count(const Variant& variant,
                                          const CounterProviderRow& provider) {
  std::optional<Weaving> weaving;
  if (provider.own_build()) weaving = {provider.weaving_version, provider.weave};
  return cache_.variant(study_.kernel, variant.backend, variant.space, variant.configuration,
                        limits_.compile_seconds, weaving);
}

void HostEvaluator::build_to_count(const Configurations& configurations,
                                   const CounterProviderRow& provider) {
  if (!provider.own_build() || runs_on_gpu(study_.backend.name)) return;
  const Variants variants = to_variants(configurations);
  built_together(variants.size(), study_.builders,
                 [&](size_t i) { return artefact_to_count(variants[i], provider).seconds; });
}

CountedRun HostEvaluator::count(const Configuration& configuration,
                                const CounterProviderRow& provider,
                                const std::vector<MemoryLevel>& levels, const CountingTime& time) {
  const auto begin = SteadyClock::now();
  const Variant variant = to_variant(configuration);
  const bool on_gpu = runs_on_gpu(variant.backend.name);
  CountedRun run;
  run.configuration = configuration;
  run.provider = provider.name;
  try {
    if (provider.own_build() && on_gpu) throw Error("the code of a graphics card is not traced");
    const bool warm = setup().warm;
    const Artefact artefact = artefact_to_count(variant, provider);
    if (!artefact.error.empty()) throw Error("the build that counts failed: " + artefact.error);
    const LaunchSettings wanted = settings(variant);
    // Free memory for its arrays, and undisturbed caches.
    pool_.clear();
    StepLimits limits = steps(std::nullopt);
    limits.call_seconds = limits.counting_seconds = time.limit;
    WorkerPool alone(limits_.memory_bytes, 1);
    const auto use = worker(alone, wanted, setup());
    if (!use.worker) throw Error(use.ending->how + " while the worker started");
    // Compiler and worker took their part. A reserve stays for an estimating provider.
    constexpr double budget_share = 0.6, least = 1e-3;
    const CountingPlan plan{levels, wanted.team.threads, warm,
                            std::max(least, budget_share * (time.wanted - seconds_since(begin)))};
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
