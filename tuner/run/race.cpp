// Interleaved rounds: every configuration once per round, in an order of its own.
#include <fmt/format.h>

#include <algorithm>

#include "core/rng.h"
#include "run/implementation.h"

namespace rooftune::inline run {
namespace {

/// A configuration that stands ready in a worker.
struct Runner {
  RemoteWorker* worker;
  int entry;
  double share;  ///< of its conversion in every time [s]
};

/// Equal artefacts would share their static state in one process; copies do not.
std::filesystem::path own_copy(const std::filesystem::path& library,
                               const std::filesystem::path& folder, std::size_t number) {
  std::filesystem::create_directories(folder);
  const auto copy = folder / fmt::format("{}.so", number);
  std::filesystem::copy_file(library, copy, std::filesystem::copy_options::overwrite_existing);
  return copy;
}

/// A configuration failed; the rounds before it stand.
struct RaceFault {
  std::string text;
};

class Track {
 public:
  Track(HostEvaluator::Implementation& evaluator, std::size_t environments, const Setup& setup);
  void enter(const Variant& variant);
  std::vector<double> round(std::uint64_t seed, std::uint64_t number);
  /// Those whose result is wrong now.
  std::vector<Refuted> check();

 private:
  WorkerReply reply(RemoteWorker& worker, const std::string& action, Json body,
                    const Configuration& configuration);

  HostEvaluator::Implementation& evaluator_;
  Setup setup_;
  WorkerPool pool_;
  std::vector<Configuration> configurations_;
  std::vector<Runner> runners_;
};

Track::Track(HostEvaluator::Implementation& evaluator, std::size_t environments, const Setup& setup)
    : evaluator_(evaluator),
      setup_(setup),
      pool_(evaluator.scratch, evaluator.limits.memory_bytes, environments) {
  // All workers together have the room that one had.
  setup_.array_sets = std::max<std::size_t>(1, evaluator.input.sets_in_memory() / environments);
}

WorkerReply Track::reply(RemoteWorker& worker, const std::string& action, Json body,
                         const Configuration& configuration) {
  WorkerReply result = request(worker, action, std::move(body), evaluator_.steps(std::nullopt));
  if (result.ending)
    throw RaceFault{fmt::format("{}: {}: {}", configuration.key(), to_text(result.ending->outcome),
                                result.detail)};
  return result;
}

void Track::enter(const Variant& variant) {
  const auto& limits = evaluator_.limits;
  const Configuration& configuration = variant.configuration;
  const Artefact artefact = evaluator_.artefact(variant);
  if (!artefact.error.empty())
    throw RaceFault{configuration.key() + ": build_failed: " + artefact.error};
  const LaunchSettings wanted = evaluator_.settings(variant);
  const WorkerPool::Use use = pool_.worker(wanted.environment, setup_, limits.first_call_seconds);
  if (!use.worker) throw RaceFault{configuration.key() + ": " + use.ending->how};
  Task task = evaluator_.task(artefact, wanted, std::nullopt);
  task.library = own_copy(artefact.library, evaluator_.scratch / "race", runners_.size());
  const int entry = static_cast<int>(runners_.size());
  const WorkerReply entered =
      reply(*use.worker, "enter", {{"entry", entry}, {"task", encode(task)}}, configuration);
  configurations_.push_back(configuration);
  runners_.push_back({use.worker, entry, evaluator_.share(entered.prepare_seconds)});
}

std::vector<double> Track::round(std::uint64_t seed, std::uint64_t number) {
  std::vector<double> seconds(runners_.size());
  for (const std::size_t i : shuffled(runners_.size(), Rng(seed, number))) {
    const WorkerReply timed =
        reply(*runners_[i].worker, "sample", {{"entry", runners_[i].entry}}, configurations_[i]);
    if (timed.samples.empty()) throw RaceFault{configurations_[i].key() + ": no sample came"};
    seconds[i] = timed.samples.front().seconds + runners_[i].share;
  }
  return seconds;
}

std::vector<Refuted> Track::check() {
  std::vector<Refuted> refuted;
  for (std::size_t i = 0; i < runners_.size(); ++i) {
    RemoteWorker& worker = *runners_[i].worker;
    // Ended by one before it: when that one is out, the others are checked again.
    if (worker.ended()) continue;
    const WorkerReply checked =
        request(worker, "check", {{"entry", runners_[i].entry}}, evaluator_.steps(std::nullopt));
    if (checked.ending && !checked.ending->from_outside)
      refuted.push_back({configurations_[i], "in a race: " + checked.detail});
  }
  return refuted;
}

}  // namespace

Rounds HostEvaluator::Implementation::race(const std::vector<Variant>& variants, int rounds,
                                           std::uint64_t seed, const Between& between) {
  const Setup& shared = setup();
  build(variants);
  // Fresh workers, and their room: what the search left behind must not decide the race.
  pool.clear();
  std::vector<WorkerPool::Environment> environments;
  for (const Variant& variant : variants) {
    const auto environment = settings(variant).environment;
    if (std::find(environments.begin(), environments.end(), environment) == environments.end())
      environments.push_back(environment);
  }
  Rounds result;
  try {
    Track track(*this, std::max<std::size_t>(environments.size(), 1), shared);
    for (const Variant& variant : variants) track.enter(variant);
    for (int round = 0; round < rounds; ++round) {
      result.seconds.push_back(track.round(seed, static_cast<std::uint64_t>(round)));
      if (between) between();
    }
    result.refuted = track.check();
    if (!result.refuted.empty()) {
      result.seconds.clear();
      const Refuted& first = result.refuted.front();
      result.fault = fmt::format("{}: wrong_result: {}", first.configuration.key(), first.detail);
    }
  } catch (const RaceFault& fault) {
    result.fault = fault.text;
  }
  return result;
}

}  // namespace rooftune::inline run
