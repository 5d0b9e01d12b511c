// What others have published for a kernel: named optimisation steps from the literature,
// kernels/<kernel>/published.<backend>.json, some perhaps impossible on a given machine; and other
// codes for the same problem, kernels/<kernel>/peers.json. A peer is a source with the kernel's
// signature around a library, or a program that times itself.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel/kernel.h"

namespace rooftune::kernel {
/// What the source reports for a step, on its own machine.
struct PublishedFigures {
  std::optional<double> seconds;  ///< s per call
  std::optional<double> flops;    ///< executed, per call
  std::optional<double> rate;     ///< flop/s
  std::string machine, source;    ///< their machine; page or slide
};

struct PublishedStep {
  std::string name;   ///< "v7"
  std::string title;  ///< "reciprocal and multiply instead of division"
  std::string doc;    ///< the change and its reason, may be empty
  ByName<Value> set;  ///< knobs against the step before
  std::optional<PublishedFigures> published;
};

struct PublishedPath {
  std::string kernel, backend;  ///< whose path it is
  std::string title, source;
  Facts problem;                     ///< parameters in the publication
  std::vector<PublishedStep> steps;  ///< the first is on top of the space's defaults
};

/// <kernel>/published.<backend>.json, whether there is one or not.
fs::path published_path_file(const fs::path& kernel_folder, const std::string& backend);
/// Throws Error with all faults, also when the path belongs to another kernel or back end.
PublishedPath published_path_from_json(const Json& json, const std::string& where,
                                       const std::string& kernel, const std::string& backend);

/// The cumulative configuration at a step, or the reason why it is not allowed. placed() throws
/// Error for a knob or a value unknown to the space.
struct PlacedStep {
  Configuration configuration;  ///< normalised
  std::string impossible;       ///< the constraint or the machine against it; empty: allowed
};
std::vector<PlacedStep> placed(const PublishedPath& path, const SearchSpace& space,
                               const std::string& where);

/// A program run as it is, with a time in its output.
struct PeerProgram {
  std::string name;     ///< on PATH, or in the variable ROOFTUNE_PEER_<NAME>
  Texts arguments;      ///< texts; "=..." is an expression over parameters and facts
  std::string pattern;  ///< ECMAScript; the first group is a number, `value`
  Expression seconds;   ///< s per kernel call, over value, parameters, facts, threads, items
};

struct Peer {
  std::string name, title;
  Expression when;   ///< over parameters and facts: its problems; empty: all
  std::string cure;  ///< how to get it, shown when it is missing
  /// "backend": "cuda": on a card, a source in the same worker as the back end's variants, its
  /// arrays through rooftune/gpu.h. Else on the CPU.
  bool on_card = false;
  std::optional<Backend> source;       ///< either this; a .cu has its own kernels
  std::optional<PeerProgram> program;  ///< or this
};
using Peers = std::vector<Peer>;

/// Empty when the kernel has no peers.json. Throws Error with all faults in the file.
Peers read_peers(const Kernel& kernel);

}  // namespace rooftune::kernel
