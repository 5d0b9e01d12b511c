// How long a card needs for a call's launches, by what their compiled code does: the pipe, the
// issue slots, the level or the waiting that takes longest. No card is needed.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/fields.h"
#include "roofline/machine.h"
#include "roofline/roofline.h"

namespace rooftune::roofline {

/// A launch's work per thread, on average. Instructions are machine instructions, as the assembler
/// is known to make them.
struct ThreadWork {
  double fp64 = 0, fp32 = 0, integer = 0;
  double special = 0;    ///< reciprocals, roots, conversions
  double memory = 0;     ///< loads, stores, atomics, shuffles
  double issued = 0;     ///< all, branches and barriers among them
  double l1_cycles = 0;  ///< the multiprocessor's L1 and shared memory take for its warp's accesses
  double tensor = 0;     ///< multiply-adds in fp16; other types count by how long they take
  double l2_bytes = 0;   ///< not found in its share of L1
  double l2_atomics = 0;  ///< lines in which L2 itself adds
  /// Its share of the array bytes that the launch reads and writes, each byte once, from memory
  /// where L2 does not hold them; and what L2 loses before the thread returns to it.
  double dram_bytes = 0;
  double wait = 0;  ///< cycles it waits for its own results, were it alone
  ROOFTUNE_FIELDS(fp64, fp32, integer, special, memory, issued, tensor, l1_cycles, l2_bytes,
                  l2_atomics, dram_bytes, wait)
};

struct LaunchWork {
  ThreadWork thread;
  double blocks = 1, threads = 1;  ///< threads per block
  double resident = 1;             ///< blocks per multiprocessor
  double times = 1;
};

/// How long a call takes.
struct CallTime {
  Seconds reachable;  ///< by its pipes and issue slots alone, all busy: this code cannot beat it
  std::string reached_by;   ///< which is slowest: "fp64 pipe", "issue"
  Seconds time, low, high;  ///< expected, and its interval
  /// What takes longest: a pipe, "issue", "L1", "L2", "DRAM", "waiting", "launch".
  std::string limit;
  ROOFTUNE_FIELDS(reachable, reached_by, time, low, high, limit)
};

/// nullopt where the machine lacks a ceiling for it (fp32, fp64), or says nothing about its
/// multiprocessors. No time is below `least`, which holds for any code.
std::optional<CallTime> call_time(const std::vector<LaunchWork>& launches, const Machine& machine,
                                  Seconds least);

}  // namespace rooftune::roofline
