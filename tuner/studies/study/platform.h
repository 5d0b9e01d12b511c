// A study's interface to the computer below it. The module host implements it; tests use a
// synthetic one, so a whole study runs without a compiler or a clock.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/callback.h"
#include "core/list.h"
#include "kernel/kernel.h"
#include "roofline/machine.h"
#include "space/knob.h"
#include "store/study_record.h"
#include "study/nodes.h"
#include "study/spec.h"
#include "trial/evaluator.h"

namespace rooftune::study {

/// Words of the user for this computer, and for the card in it.
inline constexpr const char *host_machine = "host", *card_machine = "auto";

/// One input of a kernel, built and loaded; evaluates configurations of one search space.
class InputRunner : public Evaluator {
 public:
  /// Facts from back end and problem beside the parameters (rows, nnz, ...).
  virtual Facts facts() = 0;
  /// The space gives each knob's kind; set once, after facts().
  virtual void use(const SearchSpace& space) = 0;
  /// Builds side by side what a provider needs to count them.
  virtual void build_to_count(const Configurations& configurations, const std::string& provider) {
    (void)configurations, (void)provider;
  }
  /// Counts one call, after all timing. Never throws for faults of the variant or the provider: the
  /// reason is in the result.
  virtual CountedRun count(const Configuration& configuration, const std::string& provider,
                           const Machine& machine, const CountingTime& time) {
    (void)machine, (void)time;
    return {configuration, provider, std::nullopt, "programs are not counted", 0};
  }
  /// The call time on a card that compiled code can reach; nullopt where it cannot be told.
  virtual std::optional<CallTime> call_time(const Configuration& configuration,
                                            const Machine& machine, Seconds least) {
    (void)configuration, (void)machine, (void)least;
    return std::nullopt;
  }
  /// Builds for call_time(), several side by side.
  virtual void build_to_model(const Configurations& configurations) { (void)configurations; }
};

/// Inputs to the making of a runner.
struct RunnerRequest {
  const Kernel& kernel;
  const Backend& backend;
  Facts parameters;
  const Machine& machine;
  int threads = 1;
  double amortize = 0;
  std::string card;
  bool planned = false;           ///< for a dry run: the machine need not be here
  size_t sharers = 1;             ///< inputs in the shared memory of this host
  int builders = 1;               ///< compilers at work at once
  bool chooses_compiler = false;  ///< a knob does
};

/// Micro-kernels of ceilings, ready to run beside something else.
struct Roofs {
  Texts names;  ///< the machine's ceilings able to run here
  /// Runs each for a few milliseconds: its rates now, in the order of the names [flop/s, B/s]; 0
  /// for a failed one.
  std::function<Numbers()> rates = {};
};

class Platform {
 public:
  virtual ~Platform() = default;
  /// The machine for the user's word: for "auto" the one of the card here. Throws Error
  /// (ExitCode::unavailable) without a match.
  virtual std::string machine_named(const std::string& machine, const std::string& card) = 0;
  /// The machine with another id where a study with so many threads can use a part of it only.
  virtual Machine as_usable(Machine machine, int threads) = 0;
  /// Throws Error when the machine is not this computer, nor the card in it.
  virtual void require_here(const Machine& machine, const std::string& card) = 0;
  /// Keeps other studies from timing on the cores or the card of the spec, for the life of the
  /// returned object. Throws Error (ExitCode::busy) or waits, by spec.wait.
  virtual std::shared_ptr<void> reserve(const StudySpec& spec, const TextCallback& say) = 0;
  /// What kept the cores busy since reserve(), beside this program, for a study with so many
  /// threads; empty where enough of them are free.
  virtual std::string neighbours(int threads) = 0;
  /// Throws Error: the kernel's reference or the user's input is at fault.
  virtual std::unique_ptr<InputRunner> runner(const RunnerRequest& request) = 0;
  /// Facts of a back end for a search space (the version of Kokkos and its device, the compilers
  /// that a knob chooses from). Throws Error (ExitCode::unavailable) when it is unusable here for
  /// the machine.
  virtual Facts backend_facts(const RunnerRequest& of) = 0;
  /// The compiler of variants, for provenance; both where a knob chooses one.
  virtual std::string compiler(bool chosen_by_knob) = 0;
  /// Name and value of all influences on the program beside its sources: compiler, flags, headers
  /// outside the kernel's folder, driver. A change makes another study.
  virtual TextPairs toolchain(const RunnerRequest& of) = 0;
  /// Ceilings of a machine measured again, a fifth of a second each; without those unable to run
  /// here.
  virtual CeilingList anchors(const Machine& machine, const Texts& names) = 0;
  /// Ceilings of a precision that the machine has none of, where this host can measure them.
  virtual CeilingList missing(const Machine& machine, const std::string& precision) = 0;
  /// Roofs have no names where none of them can run beside a variant.
  virtual Roofs roofs(const Machine& machine, const Texts& names) = 0;
  /// Starts the other nodes of the spec on the study of this header; nullptr where it is to run on
  /// one. Throws Error (ExitCode::unavailable) where nobody lends so many.
  virtual std::unique_ptr<OtherNodes> other_nodes(const StudySpec& spec,
                                                  const StudyHeader& header) {
    (void)spec, (void)header;
    return nullptr;
  }
  /// Begins to watch other activity on the machine; the returned function ends it. For a GPU
  /// without the clock of the tuner's own core, a mere feeder.
  virtual std::function<Environment()> watch(bool gpu) = 0;
  /// The same around all races on a card, which is asked at both ends.
  virtual std::function<Environment()> watch_card(const std::string& card) {
    (void)card;
    return watch(true);
  }
  /// Names of the counter providers for `word` (auto, none or a name). Throws Error.
  virtual Texts counter_providers(const std::string& word, bool gpu) = 0;
  /// Why a configuration without counts has none.
  virtual std::string no_counters_reason(bool gpu) = 0;
};

}  // namespace rooftune::study
