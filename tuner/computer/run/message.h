// Messages between parent and worker: one JSON object per line, a request and then its replies,
// each with the request's number. A worker answers one request at a time.
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "build/gpu_compiler.h"
#include "core/fields.h"
#include "core/list.h"
#include "counters/provider.h"
#include "kernel/kernel.h"
#include "roofline/launch_time.h"
#include "trial/trial.h"

namespace rooftune::run {

ROOFTUNE_ENUM(Action, problem, setup, reference, trial,
              plan,    ///< write launches down
              enter,   ///< a race
              sample,  ///< takes a sample from an entry in a race
              look,    ///< looks at an entry, after a round
              check,   ///< checks an entry after a race
              count)

/// Steps reached, in the order of a trial.
ROOFTUNE_ENUM(Phase,
              requested,  ///< no reply yet
              ready,      ///< after the setup
              allocated, loaded, prepared, called, validated, calibrated, samples,
              noted,    ///< what is to be told beside a right result
              renewed,  ///< timed on new inputs
              checking, checked, counted, planned, done, fault,
              ended  ///< the process of a trial
)

/// How the arrays of a trial lie in memory.
struct Placement {
  bool huge_pages = false;
  bool fast_memory = false;  ///< on the nodes with high-bandwidth memory
  bool interleave = false;   ///< over all NUMA nodes; else local to the first touch
  size_t offset = 0;         ///< bytes: array k starts k * offset later
  int touch_threads = 1;     ///< how many threads touch first
  auto operator<=>(const Placement&) const = default;
  ROOFTUNE_FIELDS(huge_pages, interleave, fast_memory, offset, touch_threads)
};

/// OpenMP control variables, set before every call.
struct Team {
  int threads = 1;
  std::string schedule;  ///< static, dynamic, guided, auto; empty: leave it alone
  int chunk = 0;         ///< 0: the schedule's own default
  ROOFTUNE_FIELDS(threads, schedule, chunk)
};

/// Launches of one kernel in one shape, in a row.
struct PlannedLaunch {
  std::string kernel;
  int64_t blocks = 1;
  int threads = 1;           ///< per block
  int64_t shared_bytes = 0;  ///< dynamic, per block
  int times = 1;
  std::optional<roofline::ThreadWork> work = {};  ///< a thread's, from the kernel's PTX
  bool same_as(const PlannedLaunch& other) const {
    return kernel == other.kernel && blocks == other.blocks && threads == other.threads &&
           shared_bytes == other.shared_bytes;
  }
  ROOFTUNE_FIELDS(kernel, blocks, threads, shared_bytes, times, work)
};

/// Times of one variant, in the order in which they were taken.
using SampleList = std::vector<Sample>;

/// How to time.
struct Timing {
  double sample_seconds = 0.001;  ///< how long a sample should last
  double trial_seconds = 0.25;    ///< wanted for a trial
  int min_samples = 11, max_samples = 101;
  std::optional<double> incumbent;  ///< s per call
  ROOFTUNE_FIELDS(sample_seconds, trial_seconds, min_samples, max_samples, incumbent)
};

/// One kernel argument with its size known.
struct Slot {
  Argument argument;  ///< without its expressions
  int64_t count = 0;  ///< how many elements an array has
  bool is(Argument::Access access) const { return argument.access == access; }
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit, self, argument, count);
    visit.check("count", self.count >= 0, "must not be negative");
  }
};
using Slots = std::vector<Slot>;

ROOFTUNE_FIELDS_OF(Argument, name, type, pointer, access, from_problem, fill, tolerance)

ROOFTUNE_FIELDS_OF(Fill, kind, value, low, high, seed, scale, offset, waves)

ROOFTUNE_FIELDS_OF(Tolerance, relative, absolute, scale, ulp, nan)

/// Where the kernels for a GPU runtime run.
struct GpuSetup {
  ROOFTUNE_NESTED_ENUM(Mode, none,
                       card,      ///< a GPU behind the driver
                       emulated,  ///< on the CPU, for results only
                       planned    ///< nowhere: launches are written down
  )
  Mode mode = Mode::none;
  std::string runtime;  ///< a row in gpu_runtimes()
  std::string card;     ///< index or UUID; empty: the first
  GpuFacts facts;       ///< a plan's or the emulation's card
  uint64_t seed = 1;    ///< for the emulation's random order
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit, self, seed, runtime, mode, card);
    ROOFTUNE_EACH(visit, self.facts, compute_capability, warp, multiprocessors, memory, l2,
                  threads_per_multiprocessor, blocks_per_multiprocessor,
                  registers_per_multiprocessor, shared_per_multiprocessor, shared_per_block,
                  shared_reserved);
  }
};

/// Data that a study's trials share; sent once to a worker.
struct Setup {
  Slots slots;
  fs::path problem_folder;    ///< raw arrays made by the problem
  fs::path reference_folder;  ///< the reference's raw outputs, per input; see below
  /// How many inputs have a reference. Input 1 has a few other elements than input 0 in arrays of
  /// random numbers, input 2 has all from other seeds: they find out a result kept from another
  /// input. 1 where nothing is random, fewer than 3 where the reference takes long. From input 3 on
  /// each has its own seeds, real numbers that are not random are a little smaller, and there is no
  /// reference: calls on them are only timed.
  int inputs = 1;
  bool keeps_inputs = false;  ///< see Kernel
  bool evolves = false;       ///< calls go on from each other: update arrays are not put back
  std::vector<std::pair<size_t, size_t>> swap;  ///< slots, as in Kernel
  Texts openmp;                                 ///< OpenMP library names, tried in order
  bool warm = true;
  size_t flush_bytes = 0;  ///< cold: bytes walked to empty the caches
  size_t array_sets = 1;   ///< array sets in memory at a time, at most
  GpuSetup gpu;
  ROOFTUNE_FIELDS(slots, problem_folder, reference_folder, inputs, keeps_inputs, evolves, swap,
                  openmp, warm, flush_bytes, array_sets, gpu)
};

/// Where the reference's outputs on an input (from 0) are.
inline fs::path reference_folder(const Setup& setup, int input) {
  return setup.reference_folder / std::to_string(input);
}

/// Whether an array holds random numbers made here.
inline bool is_random(const Slot& slot) {
  const Argument& argument = slot.argument;
  return argument.pointer && !argument.from_problem && argument.fill.kind == Fill::Kind::uniform;
}

/// One artefact and how to run it.
struct Task {
  fs::path library;
  fs::path image;  ///< kernels for a GPU
  Json scalars;    ///< one per slot, null for arrays
  Placement placement;
  Team team;
  Timing timing;
  ROOFTUNE_FIELDS(library, image, scalars, placement, team, timing)
};

ROOFTUNE_FIELDS_OF(MemoryLevel, name, capacity, reported, instances, ways, at_most)

ROOFTUNE_FIELDS_OF(CountingPlan, levels, threads, warm, seconds)

/// A member of a request or reply; throws Error when it is missing or malformed.
template <class T>
T member(const Json& message, const char* name) {
  const auto found = message.find(name);
  if (found == message.end()) throw Error(std::string("a message without ") + name);
  return decoded<T>(*found, std::string("message: /") + name);
}

}  // namespace rooftune::run
