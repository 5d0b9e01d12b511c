// What an exported library is made of: the variants of a kernel, the choice among them at run time,
// and a call of one with the team that it was timed with.
#pragma once
#include <omp.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

#include "rooftune/library_choice.h"

namespace rooftune_library {

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

inline int threads_of(const Team& team) {
  const int most = omp_get_max_threads();
  return team.threads > 0 && team.threads < most ? team.threads : most;
}

/// What a variant keeps for each problem that was prepared; see rooftune/kept.h. Without functions
/// the variant keeps one problem at a time.
struct States {
  void* (*make)();
  void (*destroy)(void*);
  void (*use)(void*);
};

/// One call at a time: every call takes the whole team.
struct Turn {
  std::mutex mutex;
  bool taken = false;  ///< of a variant without States: the one problem is there
};

/// One configuration of the kernel, compiled for one instruction set.
template <class Arguments>
struct Variant {
  const char *name, *about;
  bool (*runs_here)();             ///< this CPU has its instructions
  int machine_threads;             ///< of the machine where it was timed; 0: anywhere
  const double* sizes;             ///< integer arguments when it was timed; nullptr: any
  bool (*fits)(const Arguments&);  ///< as far as the arguments tell
  unsigned promises;               ///< what the application must know to hold besides
  Team team;
  void (*prepare)(const Arguments&);  ///< nullptr: it needs none; so for `finish`
  void (*run)(const Arguments&);
  void (*finish)(const Arguments&);
  States (*states)();
  Turn* turn;
};

/// Among the variants for this CPU and team.
template <class Arguments>
const Variant<Arguments>& chosen(const Variant<Arguments>* const* variants, int count,
                                 const Arguments& arguments, const double* sizes, int size_count,
                                 unsigned promises, const char* wish) {
  return chosen(
      variants, count, arguments, sizes, size_count, promises, wish,
      [](const Variant<Arguments>& one) { return one.runs_here(); },
      [](const Variant<Arguments>& one) {
        return doublings(omp_get_max_threads(), one.machine_threads);
      });
}

/// A problem that was prepared.
template <class Arguments>
struct Handle {
  const Variant<Arguments>* variant;
  int threads;
  void* state;
};

/// `Problem` is derived from Handle. nullptr: no memory, or the variant keeps one problem at a time
/// and has one.
template <class Problem, class Arguments>
Problem* prepared(const Variant<Arguments>& variant, const Arguments& arguments) {
  const States states = variant.states();
  const std::lock_guard lock(variant.turn->mutex);
  const bool single = variant.prepare && !states.make;
  if (single && variant.turn->taken) return nullptr;
  auto* const problem = new (std::nothrow) Problem{{&variant, threads_of(variant.team), nullptr}};
  if (!problem) return nullptr;
  try {
    if (states.make) states.use(problem->state = states.make());
    const TeamScope scope(variant.team, problem->threads);
    if (variant.prepare) variant.prepare(arguments);
    variant.turn->taken = single;
    return problem;
  } catch (...) {
    // Nothing but memory can be lacking; no exception may reach C.
    if (problem->state) states.destroy(problem->state);
    delete problem;
    return nullptr;
  }
}

template <class Arguments>
void call(const Handle<Arguments>& handle, void (*function)(const Arguments&),
          const Arguments& arguments) {
  if (!function) return;
  const States states = handle.variant->states();
  const std::lock_guard lock(handle.variant->turn->mutex);
  if (states.use) states.use(handle.state);
  const TeamScope scope(handle.variant->team, handle.threads);
  function(arguments);
}

template <class Problem>
void released(Problem* problem) {
  if (!problem) return;
  const States states = problem->variant->states();
  {
    const std::lock_guard lock(problem->variant->turn->mutex);
    if (states.destroy) states.destroy(problem->state);
    problem->variant->turn->taken = false;
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
#pragma omp parallel for schedule(static)
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
