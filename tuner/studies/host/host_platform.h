// This computer as the platform of a study: builds with its compilers, runs in worker processes,
// measures its anchors, counts with its providers, races builds of other nights, and says its
// state.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "build/artefact.h"
#include "core/fields.h"
#include "os/process_tree.h"
#include "os/temporary_directory.h"
#include "roofline/launch_time.h"
#include "roofline/machine.h"
#include "run/command_evaluator.h"
#include "run/host_evaluator.h"
#include "study/baseline.h"
#include "study/platform.h"
#include "study/prepare.h"
#include "study/result.h"
#include "trial/evaluator.h"

namespace rooftune::host {

/// An input on this computer, with the abilities of a real evaluator only.
class HostRunner : public Forwarding<InputRunner> {
 public:
  HostRunner(Study study, std::shared_ptr<ArtefactCache> cache, const RunLimits& limits,
             std::string not_compiled);
  Facts facts() override { return evaluator_.facts(); }
  void use(const SearchSpace& space) override {
    space_ = space;
    evaluator_.use(space);
  }
  CountedRun count(const Configuration& configuration, const std::string& provider,
                   const Machine& machine, double seconds) override;
  std::optional<CallTime> call_time(const Configuration& configuration, const Machine& machine,
                                    Seconds least) override;

  HostEvaluator& evaluator() { return evaluator_; }
  const ArtefactCache& cache() const { return *cache_; }
  /// Dry run for a GPU: why its kernels cannot be compiled here; empty when they can.
  const std::string& not_compiled() const { return not_compiled_; }

 private:
  Evaluator& target() override { return evaluator_; }
  /// Of a study on a card: one that plans its launches, in a worker of its own.
  HostEvaluator& planner();

  Study study_;
  std::optional<SearchSpace> space_;
  std::shared_ptr<ArtefactCache> cache_;
  TemporaryDirectory scratch_;
  std::string not_compiled_;
  RunLimits limits_;
  HostEvaluator evaluator_;
  std::optional<HostEvaluator> planner_;
};

class HostPlatform : public Platform {
 public:
  std::string machine_named(const std::string& machine, const std::string& card) override;
  Machine as_usable(Machine machine, int threads) override;
  void require_here(const Machine& machine, const std::string& card) override;
  std::shared_ptr<void> reserve(const StudySpec& spec,
                                const std::function<void(const std::string&)>& say) override;
  std::string neighbours(int threads) override;
  std::unique_ptr<InputRunner> runner(const RunnerRequest& request) override;
  Facts backend_facts(const Backend& backend, const Machine& machine) override;
  std::string compiler() override;
  std::vector<std::pair<std::string, std::string>> toolchain(const RunnerRequest& of) override;
  std::vector<Ceiling> anchors(const Machine& machine,
                               const std::vector<std::string>& names) override;
  std::vector<Ceiling> missing(const Machine& machine, const std::string& precision) override;
  Roofs roofs(const Machine& machine, const std::vector<std::string>& names) override;
  std::function<Environment()> watch(bool gpu) override;
  std::vector<std::string> counter_providers(const std::string& word, bool gpu) override;
  std::string no_counters_reason(bool gpu) override;

 private:
  std::optional<os::Neighbours> neighbours_;  ///< since reserve()
  std::string unlocked_;                      ///< see TimingLocks
};

/// The runner as HostPlatform made it.
HostRunner& host_runner(InputRunner& runner);

/// The cache of artefacts of this user, with the host's compiler.
ArtefactCache artefact_cache();

/// Facts of a back end for a search space; see Platform::backend_facts.
Facts backend_facts(const Backend& backend, const ArtefactCache& cache, const Machine& machine);

class CommandRunner : public Forwarding<InputRunner> {
 public:
  explicit CommandRunner(const RunnerRequest& request)
      : evaluator_(request.kernel, request.parameters, request.builders, scratch_.path()) {}
  Facts facts() override { return {}; }
  void use(const SearchSpace& space) override { evaluator_.use(space); }
  const CommandEvaluator& evaluator() const { return evaluator_; }

 private:
  Evaluator& target() override { return evaluator_; }

  TemporaryDirectory scratch_;
  CommandEvaluator evaluator_;
};

/// The runner as HostPlatform made it for a program.
const CommandRunner& command_runner(const InputRunner& runner);

/// "auto": the machine file of this computer's card; other names are returned as they are. Throws
/// Error (ExitCode::unavailable) without such a file.
std::string machine_of_card(const std::string& machine, const std::string& card);
/// Why this computer cannot measure for the machine: no driver, another card (named), a slice of a
/// card; empty when it can.
std::string why_no_card(const Machine& machine, const std::string& card);

/// Where the kernels of a study run. Throws Error when the machine file does not describe its GPU.
GpuSetup gpu_setup(const Machine& machine, const std::string& runtime, GpuSetup::Mode mode,
                   const std::string& card);
/// Sets the cache's warp size from the machine and its compiler from the runtime: one for the
/// machine's architecture, with code loadable by this computer's driver. Throws Error
/// (ExitCode::unavailable).
void use_gpu_compiler(ArtefactCache& cache, const Machine& machine, const std::string& runtime);

/// What its compiled code can reach on the machine, and takes in all likelihood; nullopt where it
/// cannot run, or its threads were not followed.
std::optional<CallTime> planned_time(const GpuPlan& plan, const Machine& machine, Seconds least);

/// One line about a planned configuration: registers, stack, spills, shared memory, occupancy,
/// grid; or why it cannot run.
std::string plan_line(const GpuPlan& plan, const Machine& machine);
Json to_json(const GpuPlan& plan, const Machine& machine);

struct HostCheck {
  enum class State {
    good,
    unknown,  ///< no way to find out here
    limits,   ///< studies run, their times or conclusions are worse
    absent,   ///< a part needed by some studies only is missing
    fault,    ///< no study can run
  };
  std::string what;  ///< "compiler", "clock", "counters" ...
  State state = State::good;
  std::string found;
  std::string effect;  ///< on results; empty when good
  std::string cure;    ///< command or change; empty without one
  static void fields(auto& self, auto& visit) {
    visit("what", self.what)("state", self.state)("found", self.found);
    visit("effect", self.effect)("cure", self.cure);
  }
};
inline Words words(HostCheck::State) {
  static constexpr const char* all[] = {"good", "unknown", "limits", "absent", "fault"};
  return all;
}

/// Clock, boost, huge pages, NUMA balancing and load, as far as they can be read. `cores`: usable
/// ones; `root` stands for / (a test's own /sys and /proc).
std::vector<HostCheck> setting_checks(int cores, const std::filesystem::path& root = "/");
/// All of this computer. `results`: where studies would be written.
std::vector<HostCheck> host_checks(const std::filesystem::path& results);

/// {"schema": "rooftune-doctor-1", "checks": [{"what", "state", "found", "effect", "cure"}]}
Json json_of(const std::vector<HostCheck>& checks);

struct BackendHere {
  std::string name;
  bool available = false;
  std::string with;  ///< compiler, library, cards; or the missing part
  std::string cure;  ///< empty when nothing is missing
};
/// openmp, kokkos and those of the GPU runtimes. Throws Error without a compiler.
std::vector<BackendHere> backends_here();

/// Takes a study's best as the baseline of its series, keeps the timed artefact, and measures
/// its binding ceiling. The previous one goes to `earlier`. Throws Error for a study without a
/// best, of a program or of another machine, and after a change of its sources or its compiler,
/// with the timed object beyond recovery.
Baseline accept(const std::filesystem::path& results, const StudyRecord& record,
                const StudyResult& result, const std::string& who, const std::string& why);
/// The same for a study with a best, just run, in its prepared state.
Baseline accept(const std::filesystem::path& results, PreparedStudy& study,
                const StudyRecord& record, const StudyResult& result, const std::string& who,
                const std::string& why);

/// Runs the accepted variant again, interleaved with the accepted configuration as built today and
/// with `best` of the study just run. More rounds follow until the former is certainly slower or
/// faster by `threshold` (0.03: 3 %), or not slower by that. Waits for other timings on the same
/// cores. Throws Interrupted; every other fault is in the answer.
Rematch rematch(const Baseline& baseline, PreparedStudy& study, const Configuration& best,
                double threshold);

/// Two configurations of a study just run, built and validated again.
struct Duel {
  /// Time of the other over the best's, paired by rounds: above 1 the best is faster. Absent with a
  /// fault.
  std::optional<Estimate> ratio;
  int rounds = 0;
  std::string fault;  ///< why there is no answer
};
/// As rematch(), of `best` and the application's present variant.
Duel duel(PreparedStudy& study, const Configuration& best, const Configuration& other,
          double threshold);

}  // namespace rooftune::host
