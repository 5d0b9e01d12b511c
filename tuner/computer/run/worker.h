// The worker: one process that runs foreign code and reports its progress after every step. Its
// parent keeps the time limits.
//
// Every trial runs in a copy of the process (fork), with its own OpenMP start and its own arrays:
// what a variant changes in the process, and what it leaves behind, end with its trial. Only a
// worker with a card cannot be copied. The variants in a race share one process, to be timed on the
// same memory pages; after each sample their changes are undone.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/callback.h"
#include "core/rng.h"
#include "counters/provider.h"
#include "os/process_tree.h"
#include "run/array_set.h"
#include "run/gpu_runtime.h"
#include "run/loaded_variant.h"
#include "run/message.h"

namespace rooftune::run {

/// A variant ready to be called again and again.
struct Calls {
  Calls(const Task& wanted, ArraySet& on, const LoadedVariant& loaded, bool restores)
      : task(wanted),
        arrays(on),
        variant(loaded),
        arguments(on.pointers(wanted.scalars)),
        exchanged(on.exchanged(arguments)),
        restored(restores) {}
  const Task& task;
  ArraySet& arrays;
  const LoadedVariant& variant;
  Arguments arguments;
  Arguments exchanged;  ///< see ArraySet
  /// Update arrays are put back before each call, since a call changes them and the kernel does not
  /// evolve.
  bool restored;
  mutable int64_t made = 0;
  mutable bool turned = false;  ///< the last call had the arguments as they are
  void call() const {
    ++made;
    turned = !turned && !exchanged.empty();
    variant.call(turned || exchanged.empty() ? arguments : exchanged);
  }
  /// The next call is the first on an input.
  void begin() const { turned = false; }
};

/// Looks at a variant between its timed calls, to find a result that is right only where the
/// variant expects a look. A look poisons a few output elements, at times changes a few inputs,
/// makes a call as the timed ones are, and compares.
class Looks {
 public:
  /// Looks take a small share of `elapsed`, the time that samples have taken so far [s]; `call`:
  /// how long one call takes [s].
  bool due(double elapsed, double call) const;
  /// The kinds take turns. Quick: right after other calls.
  enum class Kind { quick, same, changed };
  static constexpr int kinds = 3;
  Kind kind() const { return Kind(number_ % kinds); }
  int number() const { return number_; }
  Rng& random() { return random_; }
  /// This look took so many seconds.
  void add(double seconds);

 private:
  Rng random_{1, 0};
  int number_ = 0;
  double seconds_ = 0;
};

class ProcessState;

/// problem.cpp called fail().
struct ProblemFault {
  std::string message, where, hint;
};

/// Sends one reply: {"sequence": n, "phase": phase, ...body}.
class Replies {
 public:
  explicit Replies(int fd) : fd_(fd) {}
  void begin(int64_t sequence) { sequence_ = sequence; }
  void send(Phase phase, Json body = Json::object());
  /// {"outcome": outcome, "detail": detail, ...}: the last reply to a failed request. Without an
  /// outcome the fault lies in the user's input: an Error in the parent.
  void fault(std::optional<Outcome> outcome, const std::string& detail,
             const std::string& where = {}, const std::string& hint = {},
             ExitCode code = ExitCode::usage);

 private:
  int fd_;
  int64_t sequence_ = 0;
};

class Worker {
 public:
  explicit Worker(Replies& replies) : replies_(replies) {}
  /// Answers one request, never throws.
  void serve(const std::string& line);

 private:
  /// A configuration held ready for a race.
  struct Entry {
    Task task;
    std::unique_ptr<LoadedVariant> variant;
    uint64_t prepared_for = 0;  ///< the serial of the arrays that prepare saw
    unsigned lifetime = 0;      ///< for the device memory reserved by prepare
    bool restored = false;      ///< see Calls
    int repeats = 1;
    double call_seconds = 0;
    double sampled_seconds = 0;  ///< all samples so far
    Looks looks;
    std::optional<VariantFault> wrong;  ///< a fault that the check at the end tells
  };

  /// Throws whatever the code for the request throws.
  void answer(Action action, const Json& request);
  /// Runs `body`; every exception becomes a reply.
  void attempt(const Callback& body);
  /// Runs `body` in a copy of this process and returns its waitpid status.
  int in_a_copy(const Callback& body);
  void set_up(const Json& request);
  void make_problem(const Json& request);
  void run_reference(const Json& request);
  /// Writes the reference's outputs on the current input, for compare().
  void keep_outputs(const ArraySet& arrays) const;
  void run_trial(const Json& request);
  void plan_trial(const Json& request);
  void enter_race(const Json& request);
  Entry& entered(const Json& request);
  /// Its calls, on arrays and a layout that others may have moved meanwhile.
  Calls calls_of(Entry& entry);
  void sample_entry(const Json& request);
  /// Runs `body`, unless a fault is known already.
  static void try_out(Entry& entry, const Callback& body);
  void look_at(Entry& entry, const Calls& calls);
  void look_at_entry(const Json& request);
  void check_entry(const Json& request);
  void count(const Json& request);

  /// `other`: a second set for the last input, beside the first's.
  ArraySet& arrays_for(const Placement& placement, bool other = false);
  /// Comes before calls of a task on the device, where there is one.
  void use_device(const Task& task, ArraySet& arrays);
  /// Load, prepare, call, finish, compare; with a reply after each. `counter` is attached to the
  /// loaded artefact.
  std::unique_ptr<LoadedVariant> validated(const Task& task, ArraySet& arrays, double& call_seconds,
                                           CallCounter* counter = nullptr);
  /// One more call on restored inputs and poisoned outputs, compared again: right at first must
  /// mean right to the end. It uses the other input where there is one. After a costly conversion
  /// that took `prepare_seconds`, only checks without one.
  void check_again(const Task& task, ArraySet& timed, const LoadedVariant& variant,
                   double prepare_seconds = 0);
  /// Where arrays change roles, calls once more with them exchanged: a validation takes two steps,
  /// since each array then holds what one step wrote.
  void second_step(const LoadedVariant& variant, const ArraySet& arrays,
                   const Arguments& arguments) const;
  /// Makes the variant's layout from the arrays.
  void prepare(const LoadedVariant& variant, const Arguments& arguments) const;
  /// Brings all outputs home, in both roles; those that a card can compare stay there.
  void finish(const LoadedVariant& variant, const ArraySet& arrays, const Arguments& arguments,
              bool compares = true) const;
  /// Returns the largest error. Throws VariantFault when outputs differ from the reference's.
  double compared(const Task& task, ArraySet& arrays) const;
  /// Runs `body`; a wrong result begins with these words.
  static void told(const std::string& when, const Callback& body);
  /// Calls for a variant that has just been validated.
  Calls calls_of(const Task& task, ArraySet& arrays, const LoadedVariant& variant) const;
  /// Before a call: puts back the inputs that calls change, and the caches into the study's state.
  void restore(const Calls& calls) const;
  /// `repeats` calls, each on restored inputs; only the calls are timed.
  Sample restored_sample(const Calls& calls, int repeats) const;
  /// Throws VariantFault when a call between the timed ones is wrong. `call_seconds`: how long one
  /// took so far.
  void look(const Calls& calls, double call_seconds, Looks& looks);
  /// Runs remembers() in a share of the time since `begin`, and sends its reply.
  void renew(const Calls& calls, const SampleList& samples, double begin);
  /// Calls on the same input, for about so long at most [s], until a call is about as fast as in
  /// the samples: results may be kept from a later call on. `last`: the call before [s].
  void call_until(double sampled, double last, double limit, const Calls& calls);
  /// How long a call takes on an input never seen before, over a later call on the same input: a
  /// variant that keeps results, or whose branches the CPU learns, is slower on new inputs than a
  /// trial says. Takes about `limit` seconds at most where it seems not to be; nullopt: no time to
  /// tell, or nothing to change. Throws VariantFault where a call in between is wrong.
  std::optional<Estimate> remembers(const Calls& calls, double sampled, double limit);
  /// Puts an input into the arrays, its layout into the variant, and the caches into the study's
  /// state.
  void begin_on(int input, const Calls& calls);
  /// Puts an input into the arrays anew and times one call [s], plus what threads that the variant
  /// has started have worked since then.
  double call_on(int input, const Calls& calls);
  /// Throws VariantFault when arrays that an evolving kernel updates hold what is no number.
  void require_finite(const Calls& calls) const;
  /// The first update array element that is no number, in words; empty: there is none.
  std::string not_finite(const ArraySet& arrays, int threads) const;
  /// Says when an evolving kernel's first calls on an input take another time than later ones;
  /// empty: they do not, or few calls fill a trial.
  std::string ageing(const Calls& calls, double call_seconds);
  /// How much of a sample a window fills that took `elapsed`, with `called` of it in calls [s].
  static double filling(const Calls& calls, double called, double elapsed);
  /// `first`: how long one call took so far [s].
  int calls_per_sample(const Calls& calls, double first) const;
  SampleList collect(const Calls& calls, int repeats, Looks& looks);
  /// One sample that fills its window: where calls have become faster since calibration, their
  /// number is found and sent again.
  Sample filled_sample(const Calls& calls, int& repeats);
  /// The whole team reads and writes a word in every line of `flushed_`, to empty every member's
  /// private caches as well: the next call starts cold.
  void flush_caches(int threads);
  /// One sample, from cold caches where the study wants cold calls.
  Sample one_sample(const Calls& calls, int repeats);
  /// Adds the threads in its OpenMP teams to `team_`.
  void know_teams(const Task& task);
  /// Waits for the device, where there is one.
  void settle() const;
  /// Between two entries in a race: undoes what the last one changed in the process. Throws
  /// VariantFault when impossible.
  void put_back(const ProcessState& before, const Task& task) const;
  /// Throws VariantFault when a thread started by the variant computes on.
  void require_rest() const;
  /// After foreign code: waits for the device, then looks at the guards.
  void check_guards(const ArraySet& arrays, const char* during = "the kernel") const;
  /// Frees the variant's memory on the device, unless it is in the race.
  void drop_from_device(const Task& task);

  Replies& replies_;
  double prepare_seconds_ = 0;  ///< the last validation's, with finish
  PidSet team_;                 ///< OpenMP's threads: all others are a variant's own
  bool is_copy_ = false;        ///< this process ends with the trial at hand
  std::optional<Setup> setup_;
  std::unique_ptr<OpenMpRuntime> openmp_;
  std::optional<Mapping> flushed_;   ///< more memory than the caches hold; made at the first use
  std::unique_ptr<GpuMachine> gpu_;  ///< null where no GPU kernels run
  std::map<std::pair<Placement, bool>, std::unique_ptr<ArraySet>> sets_;
  std::map<int, Entry> entries_;
  std::unique_ptr<DynamicLibrary>
      problem_;  ///< open to the end: it defines the types of its exceptions
};

/// Body of `tune worker`: serves requests on descriptor 3, replies on 4, until end of file.
int worker_main();

}  // namespace rooftune::run
