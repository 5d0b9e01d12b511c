// Runnable baselines: the private cache keeps their builds, which race against another night's
// best.
#include "host/rematch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "build/artefact_folder.h"
#include "build/compilation.h"
#include "core/file.h"
#include "core/list.h"
#include "host/host_platform.h"
#include "study/find_study.h"
#include "study/model.h"
#include "study/own_code.h"
#include "study/prepare.h"
#include "trial/statistics.h"

namespace rooftune::host {
namespace {

/// The accepted build: from the cache, or built again under the same key. Never from the results:
/// anybody who can write there could add code.
Artefact kept_artefact(const Baseline& baseline, PreparedStudy& study) {
  ArtefactCache cache = host_runner(*study.first().runner).cache();
  auto folder = kept_baseline(cache.directory(), baseline.artefact);
  const SearchSpace& space = *study.first().space;
  if (!folder && space.allowed(baseline.configuration) &&
      cache.variant(study.kernel, study.backend, space, baseline.configuration).key ==
          baseline.artefact) {
    keep_baseline(cache.directory(), baseline.artefact);
    folder = kept_baseline(cache.directory(), baseline.artefact);
  }
  if (!folder)
    throw Error("its build is not in this cache, and today's sources and compiler make another",
                baseline.key,
                "keep $ROOFTUNE_CACHE between nights; tune baseline accept --kernel " +
                    baseline.header.kernel + " --why \"its build is gone\"");
  Artefact kept;
  kept.key = baseline.artefact;
  kept.library = *folder / library_file;
  if (fs::exists(*folder / image_file)) kept.image = *folder / image_file;
  return kept;
}

/// A configuration of the baseline's own space, run from its kept build.
Variant kept_variant(const Baseline& baseline, PreparedStudy& study) {
  StudyRecord record;
  record.header = baseline.header;
  record.setup = baseline.setup;
  return {study.backend, space_of(record), baseline.configuration, kept_artefact(baseline, study)};
}

NamedNumbers rates(HostPlatform& platform, const PreparedStudy& study, const Texts& names) {
  NamedNumbers rates;
  for (const Ceiling& ceiling : platform.anchors(study, names))
    rates[ceiling.name] = ceiling.rate.value;
  return rates;
}

/// Variants raced on one input; the first is the reference for the others.
class InputRace {
 public:
  InputRace(HostEvaluator& evaluator, Variants variants)
      : evaluator_(evaluator), variants_(std::move(variants)) {}

  /// Throws Error, with the variant's name, where it does not run.
  void validate(size_t variant, const char* name) {
    const Trial trial = evaluator_.evaluate(variants_[variant]);
    if (!trial.ok())
      throw Error(fmt::format("{} does not run tonight: {}: {}", name, to_text(trial.outcome),
                              trial.detail));
  }
  bool runs(size_t variant) { return evaluator_.evaluate(variants_[variant]).ok(); }
  void leave_out(size_t variant) { variants_.erase(variants_.begin() + ptrdiff_t(variant)); }
  void run(uint64_t seed) {
    const Rounds rounds = evaluator_.race(variants_, {rounds_of_look, seed});
    // Inputs with different round counts cannot be paired.
    if (!rounds.fault.empty()) throw Error(rounds.fault);
    for (const size_t r : indices(rounds.seconds)) {
      times.emplace_back();
      for (size_t c = 0; c < count(); ++c) times.back().push_back(rounds.time(r, c));
    }
  }
  size_t count() const { return variants_.size(); }

  std::vector<Estimates> times;  ///< [round][variant], widened for neighbours

 private:
  HostEvaluator& evaluator_;
  Variants variants_;
};
using InputRaces = std::vector<InputRace>;

/// A variant's time over the first variant's: in each round the geometric mean over the inputs.
Estimate ratio(const InputRaces& races, size_t variant, double confidence) {
  Estimates ratios;
  for (const size_t r : indices(races.front().times)) {
    Estimate mean = Estimate::exact(1);
    for (const InputRace& race : races) {
      const Estimate one = race.times[r][variant] / race.times[r][0];
      const double root = 1 / double(races.size());
      mean.value *= std::pow(one.value, root);
      mean.low *= std::pow(one.low, root);
      mean.high *= std::pow(one.high, root);
    }
    ratios.push_back(mean);
  }
  return ratio_in_quiet(ratios, confidence);
}

Estimate time_of_kept(const InputRaces& races) {
  Estimates times;
  for (const auto& round : races.front().times) times.push_back(round[0]);
  return quantile_in_quiet(times, 0.25, 0.95);
}

/// Runs rounds until the second is told from the first, or all looks are spent.
Estimate second_over_first(InputRaces& races, uint64_t seed, double threshold) {
  Estimate answer;
  for (int look = 0; look < most_looks; ++look) {
    for (InputRace& race : races) race.run(seed + uint64_t(look));
    answer = ratio(races, 1, confidence_of_look);
    if (compared(answer, threshold) != Against::unknown) break;
  }
  return answer;
}

int rounds_of(const InputRaces& races) { return int(races.front().times.size()); }

/// Each race has the kept variant, the rebuilt one if `rebuilds`, and the best unless it is the
/// same configuration.
void run(Rematch& answer, InputRaces& races, bool rebuilds, uint64_t seed, double threshold) {
  const size_t last = races.front().count() - 1;
  for (InputRace& race : races) race.validate(0, "the accepted variant");
  for (InputRace& race : races)
    if (!rebuilds || last > 1) race.validate(last, "tonight's best");
  if (rebuilds && !std::ranges::all_of(races, [](InputRace& race) { return race.runs(1); })) {
    rebuilds = false;
    if (last == 1) throw Error("the accepted configuration, built now, does not run");
    for (InputRace& race : races) race.leave_out(1);
  }
  const Estimate second = second_over_first(races, seed, threshold);
  if (rebuilds) answer.rebuilt = second;
  answer.best = ratio(races, races.front().count() - 1, confidence_of_look);
  answer.rounds = rounds_of(races);
  answer.now = time_of_kept(races);
}

/// Keeps other timings off the study's cores meanwhile.
std::shared_ptr<void> reserved(HostPlatform& platform, const PreparedStudy& study) {
  StudySpec spec = study.spec;
  spec.wait = true;
  return platform.reserve(spec, {});
}

void require_as_timed(const StudyRecord& record, const Configuration& best,
                      const std::string& artefact) {
  for (const Trial& trial : record.history.trials())
    if (trial.configuration == best && trial.artefact == artefact) return;
  throw Error("its sources or its compiler have changed since it was timed", record.header.kernel,
              "tune again, and accept that");
}

}  // namespace

Baseline accept(const fs::path& results, const StudyRecord& record, const StudyResult& result,
                const std::string& who, const std::string& why) {
  if (!result.best)
    throw Error(fmt::format("study {} has no validated configuration", record.header.id),
                record.header.kernel, "tune it again with a larger --budget");
  HostPlatform platform;
  platform.require_here(record.require_setup().machine);
  require_own_code(record);
  PreparedStudy study = prepare(spec_of(record), platform);
  return accept(results, study, record, result, who, why);
}

Baseline accept(const fs::path& results, PreparedStudy& study, const StudyRecord& record,
                const StudyResult& result, const std::string& who, const std::string& why) {
  const StudySetup& setup = record.require_setup();
  ArtefactCache cache = host_runner(*study.first().runner).cache();
  const Configuration& best = result.best->configuration;
  const Artefact artefact = cache.variant(study.kernel, study.backend, *study.first().space, best);
  if (!artefact.error.empty())
    throw Error("the best cannot be built any more: " + artefact.error, record.header.kernel);
  require_as_timed(record, best, artefact.key);

  Baseline baseline;
  baseline.key = series_key(record.header, setup.amortize);
  if (const auto before = read_baseline(results, baseline.key)) {
    baseline.earlier = before->earlier;
    baseline.earlier.push_back(before->accepted);
  }
  baseline.header = record.header;
  baseline.setup = setup;
  baseline.configuration = best;
  baseline.accepted = {record.header.id, utc_now(), who, why, result.best->seconds};
  keep_baseline(cache.directory(), artefact.key);
  baseline.artefact = artefact.key;
  HostPlatform platform;
  if (result.bound.known()) baseline.roofs = rates(platform, study, {result.bound.ceiling});
  write_baseline(results, baseline);
  return baseline;
}

Rematch rematch(const Baseline& baseline, PreparedStudy& study, const Configuration& best,
                double threshold) {
  Rematch answer;
  answer.changed = changed_parts(baseline.header.explanation, study.header.explanation);
  for (const auto& [name, then] : baseline.setup.machine.identity) {
    const std::string* const now = value_at(study.machine.identity, name);
    if (now && *now != then)
      answer.changed.push_back(fmt::format("the machine's {} ({}, now {})", name, then, *now));
  }
  try {
    HostPlatform platform;
    const auto reservation = reserved(platform, study);
    // The roofs first, to tell a fallen roof from a slower kernel.
    answer.roofs = rates(platform, study, keys_of(baseline.roofs));
    const Variant kept = kept_variant(baseline, study);
    const Configuration& accepted = baseline.configuration;
    const bool rebuilds = std::ranges::all_of(
        study.inputs, [&](const auto& input) { return input->space->allowed(accepted); });
    ArtefactCache cache = host_runner(*study.first().runner).cache();
    answer.same_code =
        rebuilds &&
        cache.variant(study.kernel, study.backend, *study.first().space, accepted).key ==
            baseline.artefact;
    InputRaces races;
    for (const auto& input : study.inputs) {
      Variants variants{kept};
      if (rebuilds) variants.push_back({study.backend, *input->space, accepted});
      if (!rebuilds || best != accepted) variants.push_back({study.backend, *input->space, best});
      races.emplace_back(host_runner(*input->runner).evaluator(), std::move(variants));
    }
    run(answer, races, rebuilds, study.header.seed, threshold);
  } catch (const Error& error) {
    answer.fault = error.what();
  }
  return answer;
}

}  // namespace rooftune::host
