// The evaluator on this host: builds with the host compiler, runs in worker processes.
#pragma once
#include <set>

#include "os/topology.h"
#include "run/launch_settings.h"
#include "run/remote_worker.h"
#include "run/study_input.h"
#include "trial/evaluator.h"

namespace rooftune::run {

/// A configuration's launches on a card, without a run.
struct GpuPlan {
  Artefact artefact;  ///< its error, when it does not compile
  ResourceList kernels;
  std::vector<PlannedLaunch> launches;  ///< one call's
  int64_t device_bytes = 0;             ///< the variant's own memory
  std::string fault;                    ///< why it cannot be launched, or empty
  std::string not_followed;             ///< why a launch has no `work`, or empty
  TextSet guessed;                      ///< unknown PTX instructions, counted as one each
};

/// A configuration for any back end of the study's kernel.
struct Variant {
  Backend backend;
  SearchSpace space;
  Configuration configuration;
  /// An artefact built earlier, perhaps from other sources, runs as it is; else its library is
  /// empty.
  Artefact kept = {};
};
using Variants = std::vector<Variant>;

class HostEvaluator : public Evaluator {
 public:
  HostEvaluator(Study study, ArtefactCache& cache, fs::path scratch, RunLimits limits);
  /// Builds reference and problem, loads the problem in a worker and returns its facts (rows, nnz,
  /// ...). Throws Error: the kernel's reference or the user's input file is at fault.
  Facts facts();
  /// Why the validation cannot tell right from wrong, after a trial; empty: it can.
  std::string weakness() const { return input_.weakness(); }
  std::string suspicion() const { return input_.suspicion(); }
  /// The space is needed to know each knob's kind; set once, after facts().
  void use(const SearchSpace& space) { space_ = space; }
  void build(const Configurations& configurations) override;
  Trial evaluate(const Configuration& configuration, std::optional<double> incumbent) override;
  Rounds race(const Configurations& configurations, const RacePlan& how,
              const Between& between = {}) override;
  /// Builds a configuration for a card and writes down its launches; needs the mode `planned`.
  GpuPlan plan(const Configuration& configuration);
  /// Builds side by side what the provider needs; count() finds it then.
  void build_to_count(const Configurations& configurations, const CounterProviderRow& provider);
  /// Counts one call in a separate worker, after everything else was timed. Never throws when the
  /// variant or the provider is at fault: the result names it.
  CountedRun count(const Configuration& configuration, const CounterProviderRow& provider,
                   const std::vector<MemoryLevel>& levels, const CountingTime& time);
  /// The same for variants with different back ends; use() comes first all the same.
  Trial evaluate(const Variant& variant, std::optional<double> incumbent = {});
  Rounds race(const Variants& variants, const RacePlan& how, const Between& between = {});

 private:
  class RaceTrack;
  /// A configuration for the back end and space that the study has.
  Variant to_variant(const Configuration& configuration) const {
    return {study_.backend, *space_, configuration};
  }
  Variants to_variants(const Configurations& configurations) const;
  /// Several at a time; evaluate(), plan() and race() find them then.
  void build(const Variants& variants);
  Artefact artefact(const Variant& variant);
  /// What a provider builds; without such a build, the variant's own.
  Artefact artefact_to_count(const Variant& variant, const CounterProviderRow& provider);
  /// What building it costs, now and ahead; `total` is the wait for build().
  Cost build_cost(const Variant& variant, const Artefact& artefact);
  /// Input, loaded by facts(), and reference, run at the first use.
  const Setup& setup();
  bool is_baseline(const Variant& variant) const;
  bool is_on_card() const { return study_.gpu.mode == GpuSetup::Mode::card; }
  /// The setup for a worker in the search.
  Setup setup_of_search();
  /// A worker with these settings from the pool.
  WorkerPool::Use worker(WorkerPool& pool, const LaunchSettings& wanted, Setup setup) const;
  /// When a variant ends from outside or fails to build, it is to blame only if the baseline still
  /// runs and builds; a killed build is never its fault. Otherwise throws Error (unavailable): then
  /// the fault lies with this machine, and there is no trial.
  void require_that_baseline_runs(const Variant& variant, const std::string& detail);
  void require_that_baseline_builds(const Variant& variant, const Artefact& artefact);
  /// Throws Error unless the baseline is right on a problem with these parameters.
  void require_right_baseline(const Facts& parameters);
  LaunchSettings settings(const Variant& variant) const;
  Task task(const Artefact& artefact, const LaunchSettings& wanted,
            std::optional<double> incumbent) const;
  StepLimits steps(std::optional<double> incumbent) const;
  /// The part of a conversion that one call bears [s].
  double share(double prepare_seconds) const {
    return study_.amortize > 0 ? prepare_seconds / study_.amortize : 0;
  }
  WorkerReply reply(const Artefact& artefact, const LaunchSettings& wanted,
                    std::optional<double> incumbent);
  void judge(const WorkerReply& reply, Trial& trial) const;
  void try_out(const Artefact& artefact, const Variant& variant, std::optional<double> incumbent,
               Trial& trial);

  const Topology host_ = topology();
  Study study_;
  ArtefactCache& cache_;
  fs::path scratch_;
  RunLimits limits_;
  std::optional<SearchSpace> space_;
  StudyInput input_;
  WorkerPool pool_;
  /// What variants cost that are built but not evaluated yet, by back end and key.
  std::map<std::pair<std::string, std::string>, Cost> built_ahead_;
  int races_ = 0;            ///< so far
  TextSet believed_errors_;  ///< from builds that failed while the baseline's did not
};

}  // namespace rooftune::run
