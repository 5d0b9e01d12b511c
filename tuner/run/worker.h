// The worker: one process that runs foreign code and says after every step how far it came. It
// knows no time limits; its parent has them.
#pragma once
#include <map>
#include <memory>
#include <optional>

#include "counters/provider.h"
#include "run/array_set.h"
#include "run/cache_flush.h"
#include "run/cuda_machine.h"
#include "run/loaded_variant.h"

namespace rooftune::inline run {

/// Sends one reply: {"sequence": n, "phase": phase, ...body}.
class Replies {
 public:
  explicit Replies(int fd) : fd_(fd) {}
  void begin(std::int64_t sequence) { sequence_ = sequence; }
  void send(const char* phase, Json body = Json::object());

 private:
  int fd_;
  std::int64_t sequence_ = 0;
};

class Worker {
 public:
  explicit Worker(Replies& replies) : replies_(replies) {}
  /// Answers one request; throws what the request's code threw.
  void answer(const Json& request);
  /// The parent wants an ordinary end: a tool around the process has something to write then.
  bool leaving() const { return leaving_; }

 private:
  /// A configuration that stays ready for a race.
  struct Entry {
    Task task;
    std::unique_ptr<LoadedVariant> variant;
    std::uint64_t prepared_for = 0;  ///< serial of the arrays that prepare saw
    int repeats = 1;
    double call_seconds = 0;
  };

  void set_up(const Json& request);
  void make_problem(const Json& request);
  void run_reference(const Json& request);
  void run_trial(const Json& request);
  void plan_trial(const Json& request);
  void enter_race(const Json& request);
  void sample_entry(const Json& request);
  void count(const Json& request);
  /// Validates a variant and calls it so often, for a tool that counts from outside.
  void launch(const Json& request);

  ArraySet& arrays_for(const Placement& placement);
  /// Load, prepare, call, finish, compare; with a reply after each. `counter` is attached to the
  /// loaded artefact.
  std::unique_ptr<LoadedVariant> validated(const Task& task, ArraySet& arrays, double& call_seconds,
                                           CallCounter* counter = nullptr);
  /// `first`: what one call took so far [s].
  int calls_per_sample(const Task& task, const std::function<void()>& call, double first) const;
  void collect(const Task& task, const std::function<void()>& call, int repeats);
  /// One sample that fills its window: where calls were slower while their number was found than
  /// they are now, it is found and sent again.
  Sample filled_sample(const Task& task, const std::function<void()>& call, int& repeats);
  /// One sample, from cold caches when the study wants that.
  Sample one_sample(const Task& task, const std::function<void()>& call, int repeats);
  /// Waits for the device, where there is one.
  void settle() const;
  /// After foreign code: waits for the device, then looks at the guards.
  void check_guards(const ArraySet& arrays, const char* during) const;
  /// Frees what the variant holds on the device, unless it is in the race.
  void drop_from_device(const Task& task);

  Replies& replies_;
  bool leaving_ = false;
  std::optional<Setup> setup_;
  std::unique_ptr<OpenMpRuntime> openmp_;
  std::unique_ptr<CacheFlush> flush_;
  std::unique_ptr<CudaMachine> cuda_;  ///< null but for the back end "cuda"
  std::map<Placement, std::unique_ptr<ArraySet>> sets_;
  std::map<int, Entry> entries_;
  std::unique_ptr<DynamicLibrary> problem_;  ///< open to the end: what it throws is defined in it
};

}  // namespace rooftune::inline run
