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
#include "roofline/roofline.h"
#include "space/knob.h"
#include "store/study_record.h"
#include "study/nodes.h"
#include "study/spec.h"
#include "trial/evaluator.h"

namespace rooftune::study {

/// The user's words for this computer, and for the card in it.
inline constexpr const char *host_machine = "host", *card_machine = "auto";

/// A kernel's input, built and loaded; evaluates configurations from a single search space.
class InputRunner : public Evaluator {
 public:
  /// Facts that back end and problem add to the parameters (rows, nnz, ...).
  virtual Facts facts() = 0;
  /// The space gives each knob's kind; set once, after facts().
  virtual void use(const SearchSpace& space) = 0;
  /// Builds, side by side, what a provider needs to count these configurations.
  virtual void build_to_count(const Configurations& configurations, const std::string& provider) {
    (void)configurations, (void)provider;
  }
  /// Counts one call, after all timing. Never throws if variant or provider fail: the result says
  /// why.
  virtual CountedRun count(const Configuration& configuration, const std::string& provider,
                           const Roofline& roofline, const CountingTime& time) {
    (void)roofline, (void)time;
    return {configuration, provider, std::nullopt, "programs are not counted", 0};
  }
  /// The call time on the roofline's card that compiled code can reach; nullopt where it cannot be
  /// told.
  virtual std::optional<CallTime> call_time(const Configuration& configuration,
                                            const Roofline& roofline, Seconds least) {
    (void)configuration, (void)roofline, (void)least;
    return std::nullopt;
  }
  /// Builds for call_time(), several side by side.
  virtual void build_to_model(const Configurations& configurations) { (void)configurations; }
};

struct PreparedStudy;

/// The micro-kernels of ceilings, ready to run beside something else.
struct Roofs {
  Texts names;  ///< the machine's ceilings that can run here
  /// Runs each for a few milliseconds: their rates now, ordered as the names [flop/s, B/s]; 0 for
  /// one that failed.
  std::function<Numbers()> rates = {};
};

/// Watches other activity on the machine until it is called.
using Watching = std::function<Environment()>;

class Platform {
 public:
  virtual ~Platform() = default;
  /// The machine that the spec names: for "auto" the machine that the card here is. Throws Error
  /// (ExitCode::unavailable) without a match.
  virtual std::string machine_named(const StudySpec& spec) = 0;
  /// The study's machine, with another id if its threads can use only part of it. Throws Error when
  /// it is neither this computer nor the spec's card in it.
  virtual Machine as_usable(const PreparedStudy& study) = 0;
  /// Throws Error when the machine is neither this computer nor the first card in it.
  virtual void require_here(const Machine& machine) = 0;
  /// As long as the returned object lives, keeps other studies from timing on the spec's cores or
  /// card. If they are taken, waits (spec.wait) or throws Error (ExitCode::busy).
  virtual std::shared_ptr<void> reserve(const StudySpec& spec, const TextCallback& say) = 0;
  /// What kept the cores busy since reserve(), beside this program, for a study with so many
  /// threads; empty where enough of them are free.
  virtual std::string neighbours(int threads) = 0;
  // What is asked of a study needs its spec, kernel, back end, machine, threads and space file.
  /// One input, with these parameters. Throws Error if the kernel's reference or the user's input
  /// is at fault.
  virtual std::unique_ptr<InputRunner> runner(const PreparedStudy& study,
                                              const Facts& parameters) = 0;
  /// A back end's facts for a search space (Kokkos's version and device, the compilers from which a
  /// knob chooses). Throws Error (ExitCode::unavailable) when the back end cannot serve the machine
  /// here.
  virtual Facts backend_facts(const PreparedStudy& study) = 0;
  /// The compiler that builds variants, for provenance; both where a knob chooses.
  virtual std::string compiler(const PreparedStudy& study) = 0;
  /// Name and value for everything beside the sources that shapes the program: compiler, flags,
  /// headers outside the kernel's folder, driver. A change makes another study.
  virtual TextPairs toolchain(const PreparedStudy& study) = 0;
  /// Measures ceilings of the study's machine again, a fifth of a second each; leaves out those
  /// that cannot run here.
  virtual CeilingList anchors(const PreparedStudy& study, const Texts& names) = 0;
  /// Measures ceilings for a precision that the study's machine lacks, where this host can.
  virtual CeilingList missing(const PreparedStudy& study, const std::string& precision) = 0;
  /// The ceilings' micro-kernels; without names where none can run beside a variant.
  virtual Roofs roofs(const PreparedStudy& study, const Texts& names) = 0;
  /// Starts the spec's other nodes on the study with this header; nullptr where the study runs on a
  /// single node. Throws Error (ExitCode::unavailable) where so many nodes are not to be had.
  virtual std::unique_ptr<OtherNodes> other_nodes(const StudySpec& spec,
                                                  const StudyHeader& header) {
    (void)spec, (void)header;
    return nullptr;
  }
  /// Begins to watch other activity on the machine; the returned function ends it. For a GPU it
  /// leaves out the clock of the tuner's own core, which only feeds the card.
  virtual Watching watch(bool gpu) = 0;
  /// Watches a whole run on a card, and asks the card too, at both ends.
  virtual Watching watch_card(const std::string& card) {
    (void)card;
    return watch(true);
  }
  /// Names of the counter providers for `word` (auto, none or a name). Throws Error.
  virtual Texts counter_providers(const std::string& word, bool gpu) = 0;
  /// Why a configuration without counts has none.
  virtual std::string no_counters_reason(bool gpu) = 0;
};

}  // namespace rooftune::study
