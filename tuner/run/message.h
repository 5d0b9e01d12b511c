// What parent and worker say to each other: one JSON object per line, a request and then its
// replies. The caller owes one request at a time; every reply repeats the request's number.
#pragma once
#include <compare>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "build/cuda_resources.h"
#include "core/json.h"
#include "counters/provider.h"
#include "kernel/kernel.h"
#include "trial/trial.h"

namespace rooftune {

/// How the arrays of a trial lie in memory.
struct Placement {
  bool huge_pages = false;
  bool fast_memory = false;  ///< on the nodes of high-bandwidth memory
  bool interleave = false;   ///< over all NUMA nodes; else local to who touches first
  std::size_t offset = 0;    ///< bytes: array k starts k * offset later
  int touch_threads = 1;     ///< members of the team that touches first
  auto operator<=>(const Placement&) const = default;
};

/// OpenMP control variables, set before every call.
struct Team {
  int threads = 1;
  std::string schedule;  ///< static, dynamic, guided, auto; empty: leave it alone
  int chunk = 0;         ///< 0: the schedule's own default
};

/// Launches of one kernel with one shape, in a row.
struct PlannedLaunch {
  std::string kernel;
  std::int64_t blocks = 1;
  int threads = 1;                ///< per block
  std::int64_t shared_bytes = 0;  ///< dynamic, per block
  int times = 1;
  bool same_as(const PlannedLaunch& other) const {
    return kernel == other.kernel && blocks == other.blocks && threads == other.threads &&
           shared_bytes == other.shared_bytes;
  }
};

/// How to time.
struct Timing {
  double sample_seconds = 0.001, trial_seconds = 0.25;
  int min_samples = 11, max_samples = 101;
  std::optional<double> incumbent;  ///< s per call
};

/// One argument of the kernel with its size known.
struct Slot {
  Argument argument;       ///< without its expressions
  std::int64_t count = 0;  ///< elements of an array
};

/// Where the kernels of the back end "cuda" run.
struct CudaSetup {
  enum class Mode {
    none,
    card,      ///< a GPU behind the driver
    emulated,  ///< on the CPU, for results only
    planned    ///< nowhere: launches are written down
  };
  Mode mode = Mode::none;
  std::string card;  ///< index or UUID; empty: the first
  // What a plan and the emulation say of themselves; a card speaks for itself.
  int multiprocessors = 1;
  std::int64_t shared_per_block = 0, l2_bytes = 0, memory_bytes = 0;
  MultiprocessorLimits limits;
};

/// What every trial of a study shares; sent once to a worker.
struct Setup {
  std::vector<Slot> slots;
  Tolerance tolerance;
  std::filesystem::path problem_folder;    ///< raw arrays made by the problem
  std::filesystem::path reference_folder;  ///< raw outputs of the reference
  std::vector<std::string> openmp;         ///< names of the OpenMP library, tried in order
  bool warm = true;
  std::size_t flush_bytes = 0;  ///< cold: what a walk must cover to empty the caches
  std::size_t array_sets = 1;   ///< sets of arrays that may be in memory at a time
  CudaSetup cuda;
};

/// One artefact and how to run it.
struct Task {
  std::filesystem::path library;
  std::filesystem::path image;  ///< CUDA: the kernels
  Json scalars;                 ///< one per slot, null for arrays
  Placement placement;
  Team team;
  Timing timing;
};

/// A fault of the user's input inside a worker: becomes Error in the parent.
inline constexpr const char* user_fault = "user";

Json to_json(const Setup& setup);
Json to_json(const Task& task);
/// Throw Error for anything malformed.
Setup setup_from_json(const Json& json);
Task task_from_json(const Json& json);
Json to_json(const PlannedLaunch& launch);
PlannedLaunch planned_launch_from_json(const Json& json);
Json to_json(const CountingPlan& plan);
/// Throws Error for anything malformed.
CountingPlan plan_from_json(const Json& json);
/// [seconds, cpu share, switches].
Json to_json(const Sample& sample);
Sample sample_from_json(const Json& json);

}  // namespace rooftune
