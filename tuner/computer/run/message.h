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

enum class Action {
  problem,
  setup,
  reference,
  trial,
  plan,    ///< write launches down
  enter,   ///< a race
  sample,  ///< an entry of a race
  look,    ///< at an entry, after a round
  check,   ///< an entry after a race
  count
};
inline Words words(Action) {
  static constexpr const char* all[] = {"problem", "setup",  "reference", "trial", "plan",
                                        "enter",   "sample", "look",      "check", "count"};
  return all;
}

/// Steps reached, in the order of a trial.
enum class Phase {
  requested,  ///< no reply yet
  ready,      ///< after the setup
  allocated,
  loaded,
  prepared,
  called,
  validated,
  calibrated,
  samples,
  noted,    ///< what is to be told beside a right result
  renewed,  ///< timed on new inputs
  checking,
  checked,
  counted,
  planned,
  done,
  fault,
  ended  ///< the process of a trial
};
inline Words words(Phase) {
  static constexpr const char* all[] = {
      "requested", "ready",      "allocated", "loaded", "prepared", "called",
      "validated", "calibrated", "samples",   "noted",  "renewed",  "checking",
      "checked",   "counted",    "planned",   "done",   "fault",    "ended"};
  return all;
}

/// How the arrays of a trial lie in memory.
struct Placement {
  bool huge_pages = false;
  bool fast_memory = false;  ///< on the nodes of high-bandwidth memory
  bool interleave = false;   ///< over all NUMA nodes; else local to the first touch
  size_t offset = 0;         ///< bytes: array k starts k * offset later
  int touch_threads = 1;     ///< members of the team of the first touch
  auto operator<=>(const Placement&) const = default;
  static void fields(auto& self, auto& visit) {
    visit("huge_pages", self.huge_pages)("interleave", self.interleave);
    visit("fast_memory", self.fast_memory)("offset", self.offset);
    visit("touch_threads", self.touch_threads);
  }
};

/// OpenMP control variables, set before every call.
struct Team {
  int threads = 1;
  std::string schedule;  ///< static, dynamic, guided, auto; empty: leave it alone
  int chunk = 0;         ///< 0: the schedule's own default
  static void fields(auto& self, auto& visit) {
    visit("threads", self.threads)("schedule", self.schedule)("chunk", self.chunk);
  }
};

/// Launches of one kernel with one shape, in a row.
struct PlannedLaunch {
  std::string kernel;
  int64_t blocks = 1;
  int threads = 1;           ///< per block
  int64_t shared_bytes = 0;  ///< dynamic, per block
  int times = 1;
  std::optional<roofline::ThreadWork> work = {};  ///< of a thread, from the kernel's PTX
  bool same_as(const PlannedLaunch& other) const {
    return kernel == other.kernel && blocks == other.blocks && threads == other.threads &&
           shared_bytes == other.shared_bytes;
  }
  static void fields(auto& self, auto& visit) {
    visit("kernel", self.kernel)("blocks", self.blocks)("threads", self.threads);
    visit("shared_bytes", self.shared_bytes)("times", self.times).sparse("work", self.work);
  }
};

/// How to time.
struct Timing {
  double sample_seconds = 0.001, trial_seconds = 0.25;
  int min_samples = 11, max_samples = 101;
  std::optional<double> incumbent;  ///< s per call
  static void fields(auto& self, auto& visit) {
    visit("sample_seconds", self.sample_seconds)("trial_seconds", self.trial_seconds);
    visit("min_samples", self.min_samples)("max_samples", self.max_samples);
    visit("incumbent", self.incumbent);
  }
};

/// One argument of the kernel with its size known.
struct Slot {
  Argument argument;  ///< without its expressions
  int64_t count = 0;  ///< elements of an array
  static void fields(auto& self, auto& visit) {
    visit("name", self.argument.name)("type", self.argument.type);
    visit("pointer", self.argument.pointer)("access", self.argument.access);
    visit("from_problem", self.argument.from_problem)("fill", self.argument.fill);
    visit("tolerance", self.argument.tolerance);
    visit("count", self.count).check("count", self.count >= 0, "must not be negative");
  }
};

void fields(FieldsOf<Fill> auto& self, auto& visit) {
  visit("kind", self.kind)("value", self.value)("low", self.low)("high", self.high);
  visit("seed", self.seed)("scale", self.scale)("offset", self.offset)("waves", self.waves);
}

void fields(FieldsOf<Tolerance> auto& self, auto& visit) {
  visit("relative", self.relative)("absolute", self.absolute)("scale", self.scale);
  visit("ulp", self.ulp)("nan", self.nan);
}

/// Where the kernels of a GPU runtime run.
struct GpuSetup {
  enum class Mode {
    none,
    card,      ///< a GPU behind the driver
    emulated,  ///< on the CPU, for results only
    planned    ///< nowhere: launches are written down
  };
  Mode mode = Mode::none;
  std::string runtime;  ///< a row of gpu_runtimes()
  std::string card;     ///< index or UUID; empty: the first
  GpuFacts facts;       ///< of a plan's or the emulation's card
  uint64_t seed = 1;    ///< of the emulation's random order of threads and blocks
  static void fields(auto& self, auto& visit) {
    visit("seed", self.seed)("runtime", self.runtime)("mode", self.mode)("card", self.card);
    auto& facts = self.facts;
    visit("compute_capability", facts.compute_capability)("warp", facts.warp);
    visit("multiprocessors", facts.multiprocessors)("memory", facts.memory)("l2", facts.l2);
    visit("threads", facts.threads_per_multiprocessor)("blocks", facts.blocks_per_multiprocessor);
    visit("registers", facts.registers_per_multiprocessor);
    visit("shared", facts.shared_per_multiprocessor)("shared_per_block", facts.shared_per_block);
    visit("shared_reserved", facts.shared_reserved);
  }
};

inline Words words(GpuSetup::Mode) {
  static constexpr const char* all[] = {"none", "card", "emulated", "planned"};
  return all;
}

/// Common data of a study's trials; sent once to a worker.
struct Setup {
  std::vector<Slot> slots;
  fs::path problem_folder;    ///< raw arrays made by the problem
  fs::path reference_folder;  ///< raw outputs of the reference, per input; see below
  /// Inputs with a reference: 0, 1 with a few other elements in arrays of random numbers, and 2
  /// with all of them from other seeds. They find out a result kept from another input. 1 where
  /// nothing is random, fewer than 3 where the reference takes long. From 3 on each has seeds of
  /// its own, and no reference: calls on them are only timed.
  int inputs = 1;
  bool keeps_inputs = false;  ///< see Kernel
  bool evolves = false;       ///< calls go on from each other: update arrays are not put back
  std::vector<std::pair<size_t, size_t>> swap;  ///< slots, as in Kernel
  Texts openmp;                                 ///< names of the OpenMP library, tried in order
  bool warm = true;
  size_t flush_bytes = 0;  ///< cold: bytes walked to empty the caches
  size_t array_sets = 1;   ///< sets of arrays in memory at a time, at most
  GpuSetup gpu;
  static void fields(auto& self, auto& visit) {
    visit("slots", self.slots);
    visit("problem_folder", self.problem_folder)("reference_folder", self.reference_folder);
    visit("inputs", self.inputs)("keeps_inputs", self.keeps_inputs);
    visit("evolves", self.evolves)("swap", self.swap);
    visit("openmp", self.openmp)("warm", self.warm)("flush_bytes", self.flush_bytes);
    visit("array_sets", self.array_sets)("gpu", self.gpu);
  }
};

/// Where the outputs of the reference on an input (from 0) are.
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
  static void fields(auto& self, auto& visit) {
    visit("library", self.library)("image", self.image)("scalars", self.scalars);
    visit("placement", self.placement);
    Team::fields(self.team, visit);
    visit("timing", self.timing);
  }
};

void fields(FieldsOf<MemoryLevel> auto& self, auto& visit) {
  visit("name", self.name)("capacity", self.capacity)("reported", self.reported);
  visit("instances", self.instances)("ways", self.ways)("at_most", self.at_most);
}

void fields(FieldsOf<CountingPlan> auto& self, auto& visit) {
  visit("levels", self.levels)("threads", self.threads)("warm", self.warm);
  visit("seconds", self.seconds);
}

/// A member of a request or reply; throws Error when it is missing or malformed.
template <class T>
T member(const Json& message, const char* name) {
  const auto found = message.find(name);
  if (found == message.end()) throw Error(std::string("a message without ") + name);
  return decoded<T>(*found, std::string("message: /") + name);
}

}  // namespace rooftune::run
