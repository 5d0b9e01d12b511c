// What an exported library is made of: the variants of a kernel, the choice among them at run time,
// and a call of one with the team that it was timed with.
// SPDX-License-Identifier: MIT-0
#pragma once
#include <dirent.h>
#include <omp.h>
#include <pthread.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <unordered_set>

#include "rooftune/library_choice.h"
#include "rooftune/library_fault.h"

namespace rooftune_library {

/// One call at a time in the library: every call takes the whole team. A fork waits for it.
inline std::mutex& turn() {
  static std::mutex mutex;
  return mutex;
}

/// A child of fork() has none of the team's threads, and libgomp waits for them for ever: the
/// library takes one thread there. The child of a process with one thread needs no such care.
class Forks {
 public:
  static bool lost_team() { return lost_; }
  /// From now on; once in a library. 0, or an error of pthread_atfork.
  static int watch() { return pthread_atfork(before, in_parent, in_child); }

 private:
  static bool has_threads() {
    DIR* const tasks = opendir("/proc/self/task");
    if (!tasks) return true;
    int count = 0;
    while (const dirent* const one = readdir(tasks))
      if (one->d_name[0] != '.') ++count;
    closedir(tasks);
    return count > 1;
  }
  static void before() {
    turn().lock();
    loses_ = lost_ || has_threads();
  }
  static void in_parent() { turn().unlock(); }
  static void in_child() {
    lost_ = loses_;
    turn().unlock();
  }
  static inline bool lost_ = false, loses_ = false;
};

/// OpenMP's control variables of a variant.
struct Team {
  int threads = 0;  ///< 0: as many as the application has
  bool has_schedule = false;
  omp_sched_t schedule = omp_sched_static;
  int chunk = 0;  ///< 0: the schedule's own default
};

/// The team of a call; what the application had set is set again behind it.
class TeamScope {
 public:
  TeamScope(const Team& team, int threads) : threads_(omp_get_max_threads()) {
    omp_get_schedule(&schedule_, &chunk_);
    if (threads != threads_) omp_set_num_threads(threads);
    if (team.has_schedule) omp_set_schedule(team.schedule, team.chunk);
  }
  ~TeamScope() {
    omp_set_num_threads(threads_);
    omp_set_schedule(schedule_, chunk_);
  }
  TeamScope(const TeamScope&) = delete;
  TeamScope& operator=(const TeamScope&) = delete;

 private:
  int threads_, chunk_ = 0;
  omp_sched_t schedule_ = omp_sched_static;
};

inline int most_threads() { return Forks::lost_team() ? 1 : omp_get_max_threads(); }

inline int threads_of(const Team& team) {
  const int most = most_threads();
  return team.threads > 0 && team.threads < most ? team.threads : most;
}

/// What a variant keeps for each problem that was prepared; see rooftune/kept.h. Without functions
/// the variant keeps one problem at a time.
struct States {
  void* (*make)();
  void (*destroy)(void*);
  void (*use)(void*);
};

/// Vector bits of the instruction sets for which the variants are compiled: those of x86-64-v4, v3
/// and v2, the widest that this CPU has; 0: any CPU. ROOFTUNE_ISA=v3 hides wider ones.
inline int level() {
  static const int bits = [] {
    int most = 0;
#if defined(__x86_64__)
    const auto all = [](auto... has) { return (... && (has != 0)); };
    if (all(__builtin_cpu_supports("sse4.2"), __builtin_cpu_supports("popcnt"))) most = 128;
    if (most > 0 && all(__builtin_cpu_supports("avx2"), __builtin_cpu_supports("fma"),
                        __builtin_cpu_supports("bmi"), __builtin_cpu_supports("bmi2")))
      most = 256;
    if (most > 128 && all(__builtin_cpu_supports("avx512f"), __builtin_cpu_supports("avx512bw"),
                          __builtin_cpu_supports("avx512cd"), __builtin_cpu_supports("avx512dq"),
                          __builtin_cpu_supports("avx512vl")))
      most = 512;
    if (const char* const wish = std::getenv("ROOFTUNE_ISA"); wish && wish[0] == 'v')
      most = std::min(most, wish[1] > '3' ? 512 : wish[1] == '3' ? 256 : wish[1] == '2' ? 128 : 0);
#endif
    return most;
  }();
  return bits;
}

/// Of a variant in this process.
struct Standing {
  bool taken = false;  ///< of one without States: the one problem is there
};

/// One configuration of the kernel, compiled for one instruction set.
template <class Arguments>
struct Variant {
  const char *name, *about;
  int level;                       ///< of this object; 0: any CPU
  int timed_level;                 ///< of the one that was timed, the widest there is
  int machine_threads;             ///< of the machine where it was timed
  const double* facts;             ///< of its problem; nullptr: the untuned form
  bool (*fits)(const Arguments&);  ///< as far as arguments and facts tell
  unsigned promises;               ///< what the application must know to hold besides
  Team team;
  void (*prepare)(const Arguments&);  ///< nullptr: it needs none; so for `finish`
  void (*run)(const Arguments&);
  void (*finish)(const Arguments&);
  States (*states)();
  Standing* standing;
  bool (*const* functions)();  ///< those of the header beyond these

  /// The widest object for this CPU of the configuration.
  bool runs_here() const { return level == std::min(rooftune_library::level(), timed_level); }
  double machine_distance() const {
    return doublings(most_threads(), machine_threads) + (level == timed_level ? 0 : 1);
  }
  bool keeps_one() const { return prepare && !states().make; }
};

/// A problem that was prepared. The caller has the turn whenever one begins, runs or ends.
template <class Arguments>
class Handle {
 public:
  /// `most_threads`: 0, or no more than these. Throws Fault: no memory, or the variant keeps one
  /// problem at a time and has one.
  Handle(const Variant<Arguments>& the_variant, const Arguments& its_arguments, int most_threads)
      : variant(the_variant),
        arguments(its_arguments),
        threads_(most_threads == 1 ? 1 : threads_of(the_variant.team)),
        states_(the_variant.states()) {
    if (variant.keeps_one() && variant.standing->taken)
      throw Fault{Fault::misused, std::string("a problem is prepared already, and ") +
                                      variant.name + " keeps one at a time"};
    if (states_.make) state_ = states_.make();
    try {
      call(variant.prepare, arguments);
      there().insert(this);
    } catch (...) {
      if (state_) states_.destroy(state_);
      throw;
    }
    variant.standing->taken = variant.keeps_one();
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    there().erase(this);
    if (state_) states_.destroy(state_);
    if (variant.keeps_one()) variant.standing->taken = false;
  }

  /// One that began and has not ended.
  static bool is_there(const Handle* handle) { return there().count(handle) > 0; }

  void call(void (*function)(const Arguments&), const Arguments& given) const {
    if (function) with_team([&] { function(given); });
  }
  template <class Action>
  void with_team(const Action& action) const {
    if (states_.use) states_.use(state_);
    const TeamScope scope(variant.team, threads());
    action();
  }

  const Variant<Arguments>& variant;
  Arguments arguments;
  char name[160] = {};  ///< of the variant, and what there is to say of its choice

 private:
  /// Those that the problem was prepared with. Ends a child of fork() whose parent shared the
  /// problem among threads that the child has not.
  int threads() const {
    if (!Forks::lost_team() || threads_ == 1) return threads_;
    if (!variant.prepare) return 1;
    std::fprintf(stderr,
                 "a tuned library: the problem was prepared by %d threads before fork(), and this "
                 "child has one: prepare it again in the child\n",
                 threads_);
    std::abort();
  }

  /// Never destroyed: an application may free problems while it ends.
  static std::unordered_set<const Handle*>& there() {
    static auto* const all = new std::unordered_set<const Handle*>;
    return *all;
  }

  int threads_;
  States states_;
  void* state_ = nullptr;
};

/// Throws Fault.
template <class Arguments>
void require_there(const Handle<Arguments>* handle) {
  if (!handle) throw Fault{Fault::misused, "there is no problem: prepare gave NULL"};
  if (!Handle<Arguments>::is_there(handle))
    throw Fault{Fault::misused, "the problem is there no more: it was freed"};
}

/// The arguments of a call with the facts of its problem. Throws Fault for a call that is not of
/// the problem, or that its variant is not right for.
template <class Arguments>
Arguments checked(const Handle<Arguments>* handle, Arguments call) {
  require_there(handle);
  // A promise is about more than the arrays that a layout holds.
  require_prepared(call, handle->arguments, handle->variant.promises != 0);
  std::memcpy(call.facts_, handle->arguments.facts_, sizeof call.facts_);
  if (!handle->variant.fits(call))
    throw Fault{Fault::misused, std::string("variant ") + handle->variant.name +
                                    " is not right for these values: prepare a problem for them"};
  return call;
}

/// One call of the kernel; 0, or the code of a Fault.
template <class Arguments>
int run(const Handle<Arguments>* handle, const Arguments& arguments) {
  return guarded([&] {
    const std::lock_guard lock(turn());
    const Arguments call = checked(handle, arguments);
    handle->call(handle->variant.run, call);
  });
}

/// Brings the results home, those of both roles; the same.
template <class Arguments>
int finish(const Handle<Arguments>* handle, const Arguments& arguments) {
  return guarded([&] {
    const std::lock_guard lock(turn());
    const Arguments call = checked(handle, arguments), other = exchanged(call);
    if (changed(other, call, true)) handle->call(handle->variant.finish, other);
    handle->call(handle->variant.finish, call);
  });
}

/// One of the variant's further functions, of this signature; 0, or the code of a Fault.
template <class... Parameters, class Arguments>
int further(const Handle<Arguments>* handle, int position, Parameters... parameters) {
  return guarded([&] {
    const std::lock_guard lock(turn());
    require_there(handle);
    bool right = handle->variant.promises == 0;
    const auto function =
        reinterpret_cast<bool (*)(Parameters...)>(handle->variant.functions[position]);
    if (right) handle->with_team([&] { right = function(parameters...); });
    if (!right)
      throw Fault{Fault::misused, std::string("variant ") + handle->variant.name +
                                      " is not right for this: prepare a problem for it, without "
                                      "promises"};
  });
}

/// Nothing for one that was freed before.
template <class Problem>
void released(Problem* problem) {
  const std::lock_guard lock(turn());
  if (Problem::is_there(problem)) delete problem;
}

constexpr std::size_t page = std::size_t{2} << 20;

/// Zeroed bytes, placed as the arrays were that the variants were timed with: the first touch by
/// the team, on huge pages where they were, and array `position` so many offsets later. nullptr:
/// no memory.
inline void* allocated(std::size_t bytes, int position, std::size_t offset, bool huge_pages) {
  const std::size_t begin = 64 + static_cast<std::size_t>(position) * offset;
  const std::size_t all = (begin + bytes + page - 1) / page * page;
  auto* const block = static_cast<char*>(std::aligned_alloc(page, all));
  if (!block) return nullptr;
#if defined(__linux__)
  if (huge_pages) madvise(block, all, MADV_HUGEPAGE);
#else
  (void)huge_pages;
#endif
  constexpr std::size_t touched = 4096;
#pragma omp parallel for schedule(static) num_threads(most_threads())
  for (std::size_t at = 0; at < all; at += touched) std::memset(block + at, 0, touched);
  char* const start = block + begin;
  std::memcpy(start - sizeof block, &block, sizeof block);
  return start;
}

inline void deallocated(void* start) {
  if (!start) return;
  void* block = nullptr;
  std::memcpy(&block, static_cast<char*>(start) - sizeof block, sizeof block);
  std::free(block);
}

}  // namespace rooftune_library
