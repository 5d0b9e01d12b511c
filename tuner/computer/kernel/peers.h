// Other people's codes for the same problem: kernels/<kernel>/peers.json. A peer is a source with
// the kernel's signature around a library, or a program with its own timing.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "kernel/kernel.h"

namespace rooftune::kernel {

/// A program run as it is, with a time in its output.
struct PeerProgram {
  std::string name;                    ///< on PATH, or in the variable ROOFTUNE_PEER_<NAME>
  std::vector<std::string> arguments;  ///< texts; "=..." is an expression over parameters and facts
  std::string pattern;                 ///< ECMAScript; the first group is a number, `value`
  Expression seconds;  ///< s per call of the kernel, over value, parameters, facts, threads, items
};

struct Peer {
  std::string name, title;
  Expression when;   ///< over parameters and facts: its problems; empty: all
  std::string cure;  ///< how to get it, shown when it is missing
  /// "backend": "cuda": on a card, a source in the same worker as the back end's variants, its
  /// arrays through rooftune/gpu.h. Else on the CPU.
  bool on_card = false;
  std::optional<Backend> source;       ///< either this; a .cu has kernels of its own
  std::optional<PeerProgram> program;  ///< or this
};

/// Empty when the kernel has no peers.json. Throws Error with all faults of the file.
std::vector<Peer> read_peers(const Kernel& kernel);

}  // namespace rooftune::kernel
