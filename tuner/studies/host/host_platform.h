// This computer as a study's platform: builds with its compilers, runs in worker processes,
// measures its anchors, and counts with its providers.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "build/artefact.h"
#include "core/callback.h"
#include "core/fields.h"
#include "core/list.h"
#include "os/process_tree.h"
#include "os/temporary_directory.h"
#include "probe/probe.h"
#include "roofline/machine.h"
#include "run/command_evaluator.h"
#include "run/host_evaluator.h"
#include "space/knob.h"
#include "study/platform.h"
#include "study/prepare.h"
#include "study/result.h"
#include "trial/evaluator.h"

namespace rooftune::host {

/// Runs one input on this computer; also does what only a real evaluator can.
class HostRunner : public Forwarding<InputRunner> {
 public:
  HostRunner(Study study, std::shared_ptr<ArtefactCache> cache, const RunLimits& limits,
             std::string not_compiled);
  Facts facts() override { return evaluator_.facts(); }
  void use(const SearchSpace& space) override {
    space_ = space;
    evaluator_.use(space);
  }
  void build_to_count(const Configurations& configurations, const std::string& provider) override;
  CountedRun count(const Configuration& configuration, const std::string& provider,
                   const Roofline& roofline, const CountingTime& time) override;
  std::optional<CallTime> call_time(const Configuration& configuration, const Roofline& roofline,
                                    Seconds least) override;

  void build_to_model(const Configurations& configurations) override;
  /// The configuration's launches and code on a card, worked out without a card; kept, and given
  /// again when asked again.
  const GpuPlan& plan(const Configuration& configuration);

  HostEvaluator& evaluator() { return evaluator_; }
  const ArtefactCache& cache() const { return *cache_; }
  /// For a plan or a check on a GPU: why its kernels cannot be compiled here; empty when they can.
  const std::string& not_compiled() const { return not_compiled_; }

 private:
  Evaluator& target() override { return evaluator_; }
  /// Plans launches in its own worker, also for a study that runs on a card.
  HostEvaluator& planner();

  Study study_;
  std::optional<SearchSpace> space_;
  std::shared_ptr<ArtefactCache> cache_;
  TemporaryDirectory scratch_;
  std::string not_compiled_;
  RunLimits limits_;
  HostEvaluator evaluator_;
  std::optional<HostEvaluator> planner_;
  ByName<GpuPlan> plans_;  ///< by key
};

class HostPlatform : public Platform {
 public:
  std::string machine_named(const StudySpec& spec) override;
  Machine as_usable(const PreparedStudy& study) override;
  void require_here(const Machine& machine) override;
  std::shared_ptr<void> reserve(const StudySpec& spec, const TextCallback& say) override;
  std::string neighbours(int threads) override;
  std::unique_ptr<InputRunner> runner(const PreparedStudy& study, const Facts& parameters) override;
  Facts backend_facts(const PreparedStudy& study) override;
  std::string compiler(const PreparedStudy& study) override;
  TextPairs toolchain(const PreparedStudy& study) override;
  CeilingList anchors(const PreparedStudy& study, const Texts& names) override;
  CeilingList missing(const PreparedStudy& study, const std::string& precision) override;
  Roofs roofs(const PreparedStudy& study, const Texts& names) override;
  std::unique_ptr<OtherNodes> other_nodes(const StudySpec& spec,
                                          const StudyHeader& header) override;
  Watching watch(bool gpu) override;
  Watching watch_card(const std::string& card) override;
  Texts counter_providers(const std::string& word, bool gpu) override;
  std::string no_counters_reason(bool gpu) override;

 private:
  /// All readings of a command share one bench, for its memory has been touched: the first touch of
  /// a page takes long on a virtual machine (seen: 3 s for 1 GiB).
  SharedBench bench(const Machine& machine);

  SharedBench bench_;
  std::optional<os::Neighbours> neighbours_;  ///< since reserve()
  std::string unlocked_;                      ///< see TimingLocks
};

/// The runner as HostPlatform made it.
HostRunner& host_runner(InputRunner& runner);

/// This user's artefact cache, with the host's compiler.
ArtefactCache artefact_cache();

class CommandRunner : public Forwarding<InputRunner> {
 public:
  explicit CommandRunner(const Study& study)
      : evaluator_(command_evaluator(study, scratch_.path())) {}
  Facts facts() override { return {}; }
  void use(const SearchSpace& space) override { evaluator_->use(space); }
  const CommandEvaluator& evaluator() const { return *evaluator_; }

 private:
  Evaluator& target() override { return *evaluator_; }

  TemporaryDirectory scratch_;
  std::unique_ptr<CommandEvaluator> evaluator_;
};

/// The runner as HostPlatform made it for a program.
const CommandRunner& command_runner(const InputRunner& runner);

}  // namespace rooftune::host
