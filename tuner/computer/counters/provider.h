// Where counted work and traffic come from: each provider has a file and a row in the table. A
// provider counts calls inside a worker process that does no other work meanwhile.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/callback.h"
#include "os/dynamic_library.h"
#include "roofline/counts.h"
#include "roofline/machine.h"

namespace rooftune::counters {

/// Whether a provider can count here; if not, the reason and the cure.
struct Availability {
  bool available = false;
  std::string reason;  ///< what was found, in either case
  std::string cure;    ///< empty when nothing can be done
};

/// What a counting run needs to know about the study.
struct CountingPlan {
  MemoryLevels levels;  ///< the machine file's, innermost first
  int threads = 1;      ///< the configuration's
  bool warm = true;     ///< else every call starts from flushed caches
  double seconds = 0;   ///< time limit; 0: none
};

/// A repeatable call, and what prepares inputs and caches as in the study: an uncounted call (warm)
/// or a walk through other memory (cold).
struct Launch {
  Callback settle;
  Callback call;
  Callback restore = [] {};  ///< the inputs alone
};

/// Counts one call to a variant. The worker attaches, validates with prepare, one call and finish,
/// and then asks for the counts.
class CallCounter {
 public:
  virtual ~CallCounter() = default;
  /// Takes the loaded artefact, before any of its functions runs.
  virtual void attach(const DynamicLibrary&) {}
  /// Makes the validating call, which is like the counted one and shows what that will cost.
  virtual void watch(const Callback& call) { call(); }
  /// Counts per call. Settles and calls as often as there are passes. Throws Error with reason and
  /// hint when counting fails or is denied.
  virtual Counts count(const Launch& launch) = 0;
};

/// The visible table is in provider.cpp: a new provider is its own file and one row there; an
/// extension adds its own rows. "auto" takes the first available row of each kind, with and without
/// its own build.
struct CounterProviderRow {
  const char* name;
  const char* summary;
  Availability (*availability)();
  std::unique_ptr<CallCounter> (*open)(const CountingPlan& plan);
  /// Changes the assembly from which the variant is built anew; nullptr: it is counted as it is.
  std::string (*weave)(const std::string& assembly) = nullptr;
  /// Part of that build's key: changes with the code woven in.
  const char* weaving_version = "";
  /// The GPU runtime for its cards; nullptr: it counts the processor's work.
  const char* runtime = nullptr;
  bool own_build() const { return weave != nullptr; }
  bool on_card() const { return runtime != nullptr; }
};
const std::vector<CounterProviderRow>& counter_providers();
/// Adds a row; call it before any thread starts.
void add_counter_provider(const CounterProviderRow& row);
/// nullptr for a name outside the table.
const CounterProviderRow* counter_provider(const std::string& name);
/// What `--counters` means here, for variants on a `card` or not: "auto": the first available
/// provider with hardware counters, and the first with its own counting build; "none": nothing; a
/// name: that one. Throws Error for an unknown name, for an unavailable provider (with reason and
/// cure), and for one that counts elsewhere than the variants run.
std::vector<const CounterProviderRow*> chosen_providers(const std::string& word, bool card);

/// Why a variant's work and traffic are not counted here, in one sentence.
std::string no_counters_reason(bool card);

}  // namespace rooftune::counters
