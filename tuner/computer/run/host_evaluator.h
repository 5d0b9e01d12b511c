// The evaluator of this host: builds with the host compiler, runs in worker processes.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "build/artefact.h"
#include "counters/provider.h"
#include "run/message.h"
#include "trial/counted_run.h"
#include "trial/evaluator.h"

namespace rooftune::run {

struct RunLimits {
  double first_call_seconds = 60;  ///< one validation call before any incumbent is known
  double factor = 20;              ///< later: max(floor, factor * incumbent) per call
  double floor_seconds = 2;
  double compile_seconds = 120;
  double reference_seconds = 600;  ///< problem.cpp, and one call of the reference
  double sample_seconds = 0.001;   ///< wanted length of one sample
  double trial_seconds = 0.25;     ///< wanted timing per trial
  int min_samples = 11, max_samples = 101;
  std::size_t memory_bytes = 0;  ///< of a worker; 0: 80 % of the machine's memory
};

/// Kernel, back end and parameters of a study.
struct Study {
  Kernel kernel;
  Backend backend;
  Facts parameters;  ///< checked problem parameters
  int threads = 0;   ///< most threads; 0: all usable
  /// Calls sharing one conversion (`prepare`): times hold 1/amortize of it. 0: not counted.
  double amortize = 0;
  GpuSetup gpu = {};  ///< where kernels for a GPU run
  int builders = 1;   ///< compilers at work at once
  Figure ranked_by = Figure::time;
};

/// A configuration's launches on a card, without a run.
struct GpuPlan {
  Artefact artefact;  ///< its error, when it does not compile
  std::vector<KernelResources> kernels;
  std::vector<PlannedLaunch> launches;  ///< of one call
  std::int64_t device_bytes = 0;        ///< of the variant's own memory
  std::string fault;                    ///< why it cannot be launched, or empty
};

/// A configuration of any back end of the study's kernel.
struct Variant {
  Backend backend;
  SearchSpace space;
  Configuration configuration;
  /// Built earlier, perhaps from other sources: it is run as it is. Its library is empty otherwise.
  Artefact kept = {};
};

class HostEvaluator : public Evaluator {
 public:
  struct Implementation;  ///< run/implementation.h
  HostEvaluator(Study study, ArtefactCache& cache, std::filesystem::path scratch, RunLimits limits);
  ~HostEvaluator() override;
  /// Builds reference and problem, loads the problem in a worker and returns its facts (rows, nnz,
  /// ...). Throws Error: the kernel's reference or the user's input file is at fault.
  Facts facts();
  /// The space is needed to know each knob's kind; set once, after facts().
  void use(const SearchSpace& space);
  void build(const std::vector<Configuration>& configurations) override;
  Trial evaluate(const Configuration& configuration, std::optional<double> incumbent) override;
  Rounds race(const std::vector<Configuration>& configurations, int rounds, std::uint64_t seed,
              const Between& between = {}) override;
  /// Builds a configuration for a card and writes down its launches; needs the mode
  /// `planned`.
  GpuPlan plan(const Configuration& configuration);
  /// Counts one call in a worker of its own, after the timing of everything else. Never throws for
  /// a fault of the variant or the provider: the result names it. `seconds`: for the first call,
  /// and for all counted ones.
  CountedRun count(const Configuration& configuration, const CounterProviderRow& provider,
                   const Machine& machine, double seconds);
  /// The same for variants of several back ends; use() comes first all the same.
  Trial evaluate(const Variant& variant);
  Rounds race(const std::vector<Variant>& variants, int rounds, std::uint64_t seed,
              const Between& between = {});

 private:
  std::unique_ptr<Implementation> implementation_;
};

/// Body of `tune worker`: serves requests on descriptor 3, replies on 4, until end of file.
int worker_main();

}  // namespace rooftune::run
