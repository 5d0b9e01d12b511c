// What an exported library is made of: the variants of a kernel, the choice among them at run time,
// and a call of one with the team that it was timed with.
#pragma once
#include <dirent.h>
#include <omp.h>
#include <pthread.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

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

/// Whether this CPU has the instructions of a file that was compiled for such vectors.
inline bool has_vectors([[maybe_unused]] int simd_bits) {
#if defined(__x86_64__)
  const auto all = [](auto... has) { return (... && (has != 0)); };
  if (simd_bits >= 256 && !all(__builtin_cpu_supports("avx2"), __builtin_cpu_supports("fma"),
                               __builtin_cpu_supports("bmi"), __builtin_cpu_supports("bmi2")))
    return false;
  if (simd_bits >= 512)
    return all(__builtin_cpu_supports("avx512f"), __builtin_cpu_supports("avx512bw"),
               __builtin_cpu_supports("avx512cd"), __builtin_cpu_supports("avx512dq"),
               __builtin_cpu_supports("avx512vl"));
#endif
  return true;
}

/// Of a variant in this process.
struct Standing {
  bool taken = false;  ///< of one without States: the one problem is there
};

/// One configuration of the kernel, compiled for one instruction set.
template <class Arguments>
struct Variant {
  const char *name, *about;
  int simd_bits;                   ///< of its instruction set; 0: any CPU
  int machine_threads;             ///< of the machine where it was timed; 0: anywhere
  const double* sizes;             ///< integer arguments when it was timed; nullptr: any
  bool (*fits)(const Arguments&);  ///< as far as the arguments tell
  unsigned promises;               ///< what the application must know to hold besides
  Team team;
  void (*prepare)(const Arguments&);  ///< nullptr: it needs none; so for `finish`
  void (*run)(const Arguments&);
  void (*finish)(const Arguments&);
  States (*states)();
  Standing* standing;
};

/// Among the variants for this CPU and team.
template <class Arguments>
const Variant<Arguments>& chosen(const Variant<Arguments>* const* variants, int count,
                                 const Arguments& arguments, const Asked& asked,
                                 std::atomic<bool>* told) {
  return chosen(
      variants, count, arguments, asked, told,
      [](const Variant<Arguments>& one) { return has_vectors(one.simd_bits); },
      [](const Variant<Arguments>& one) { return doublings(most_threads(), one.machine_threads); });
}

/// A problem that was prepared.
template <class Arguments>
struct Handle {
  const Variant<Arguments>* variant;
  int threads;
  void* state;
  Arguments arguments;
  char name[160];  ///< of the variant, and where it was timed if elsewhere
};

/// `Problem` is derived from Handle. Throws Fault: no memory, an array twice, or the variant keeps
/// one problem at a time and has one.
template <class Problem, class Arguments>
Problem* prepared(const Variant<Arguments>& variant, const Arguments& arguments,
                  const Asked& asked) {
  require_apart(arguments);
  const States states = variant.states();
  const std::lock_guard lock(turn());
  const bool single = variant.prepare && !states.make;
  if (single && variant.standing->taken)
    throw Fault{Fault::misused, std::string("a problem is prepared already, and ") + variant.name +
                                    " keeps one at a time"};
  auto* const problem = new Problem{{&variant, threads_of(variant.team), nullptr, arguments, {}}};
  describe(variant, asked, problem->name, sizeof problem->name);
  try {
    if (states.make) states.use(problem->state = states.make());
    const TeamScope scope(variant.team, problem->threads);
    if (variant.prepare) variant.prepare(arguments);
    variant.standing->taken = single;
    return problem;
  } catch (...) {
    if (problem->state) states.destroy(problem->state);
    delete problem;
    throw;
  }
}

/// The threads for a problem: those that it was prepared with. Ends a child of fork() whose parent
/// shared the problem among threads that the child has not.
template <class Arguments>
int threads_for(const Handle<Arguments>& handle, const char* library) {
  if (!Forks::lost_team() || handle.threads == 1) return handle.threads;
  if (!handle.variant->prepare) return 1;
  std::fprintf(stderr,
               "%s: the problem was prepared by %d threads before fork(), and this child has one: "
               "prepare it again in the child\n",
               library, handle.threads);
  std::abort();
}

/// Throws Fault for a call that is not of the problem, or that its variant is not right for.
template <class Arguments>
void require_problem(const Handle<Arguments>* handle, const Arguments& arguments) {
  if (!handle) throw Fault{Fault::misused, "there is no problem: prepare gave NULL"};
  require_prepared(arguments, handle->arguments);
  if (!handle->variant->fits(arguments))
    throw Fault{Fault::misused, std::string("variant ") + handle->variant->name +
                                    " is not right for these values: prepare a problem for them"};
}

template <class Arguments>
void call(const Handle<Arguments>& handle, const char* library, void (*function)(const Arguments&),
          const Arguments& arguments) {
  if (!function) return;
  const States states = handle.variant->states();
  const std::lock_guard lock(turn());
  if (states.use) states.use(handle.state);
  const TeamScope scope(handle.variant->team, threads_for(handle, library));
  function(arguments);
}

/// One call of the kernel; 0, or the code of a Fault.
template <class Arguments>
int run(const Handle<Arguments>* handle, const char* library, const Arguments& arguments) {
  return guarded([&] {
    require_problem(handle, arguments);
    call(*handle, library, handle->variant->run, arguments);
  });
}

/// Brings the results home, those of both roles; the same.
template <class Arguments>
int finish(const Handle<Arguments>* handle, const char* library, const Arguments& arguments) {
  return guarded([&] {
    require_problem(handle, arguments);
    const Arguments other = exchanged(arguments);
    if (changed(other, arguments)) call(*handle, library, handle->variant->finish, other);
    call(*handle, library, handle->variant->finish, arguments);
  });
}

template <class Problem>
void released(Problem* problem) {
  if (!problem) return;
  const States states = problem->variant->states();
  {
    const std::lock_guard lock(turn());
    if (states.destroy) states.destroy(problem->state);
    problem->variant->standing->taken = false;
  }
  delete problem;
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
