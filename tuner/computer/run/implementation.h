// Parts of a HostEvaluator.
#pragma once
#include <map>

#include "os/topology.h"
#include "run/host_evaluator.h"
#include "run/launch_settings.h"
#include "run/study_input.h"
#include "run/worker_pool.h"
#include "run/worker_reply.h"

namespace rooftune::run {

struct HostEvaluator::Implementation {
  Implementation(Study the_study, ArtefactCache& the_cache, std::filesystem::path the_scratch,
                 const RunLimits& the_limits, const Topology& host);

  /// Several at a time; evaluate(), plan() and race() find them then.
  void build(const std::vector<Variant>& variants);
  Trial evaluate(const Variant& variant, std::optional<double> incumbent);
  Rounds race(const std::vector<Variant>& variants, int rounds, std::uint64_t seed,
              const Between& between);
  GpuPlan plan(const Configuration& configuration);
  CountedRun count(const Variant& variant, const CounterProviderRow& provider,
                   const Machine& machine, double seconds);
  /// A configuration of the study's own back end and space.
  Variant to_variant(const Configuration& configuration) const;
  std::vector<Variant> to_variants(const std::vector<Configuration>& configurations) const;
  Artefact artefact(const Variant& variant);
  /// Cost of building it, now and ahead; `total` is the wait for build().
  Cost build_cost(const Variant& variant, const Artefact& artefact);

  Facts load();
  /// Input and reference, made at the first use.
  const Setup& setup();
  /// Throws Error unless the baseline is right on a problem with these parameters.
  void require_right_baseline(const Facts& parameters);
  LaunchSettings settings(const Variant& variant) const;
  Task task(const Artefact& artefact, const LaunchSettings& wanted,
            std::optional<double> incumbent) const;
  StepLimits steps(std::optional<double> incumbent) const;
  /// One call's share of a conversion [s].
  double share(double prepare_seconds) const;
  WorkerReply reply(const Artefact& artefact, const LaunchSettings& wanted,
                    std::optional<double> incumbent);
  void judge(const WorkerReply& reply, Trial& trial) const;
  void try_out(const Artefact& artefact, const Variant& variant, std::optional<double> incumbent,
               Trial& trial);

  Study study;
  ArtefactCache& cache;
  std::filesystem::path scratch;
  RunLimits limits;
  bool has_numa, is_loaded = false;
  std::optional<SearchSpace> space;
  StudyInput input;
  WorkerPool pool;
  /// Cost of variants built but not evaluated yet, by back end and key.
  std::map<std::pair<std::string, std::string>, Cost> built_ahead;
};

}  // namespace rooftune::run
