// Best known variants of a kernel on all measured machines: a small file per kernel and back end,
// shipped with Rooftune, as a start for studies elsewhere.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "roofline/machine.h"
#include "space/configuration.h"
#include "space/knob.h"

namespace rooftune::study {

/// Properties of a machine that measure its likeness to another.
struct MachineClass {
  MachineKind kind = MachineKind::cpu;
  std::string model;  ///< "AMD EPYC 9575F 64-Core Processor", "NVIDIA A100-SXM4-40GB"
  int cores = 1;      ///< usable
  int simd_bits = 0;
  std::vector<std::string> features;  ///< instruction sets
  bool operator==(const MachineClass&) const = default;
};
MachineClass machine_class(const Machine& machine);
/// 0: the same class; grows with other features, width of vectors, number of cores, model, vendor.
double distance(const MachineClass& a, const MachineClass& b);
/// Of two problems: 0 where they are the same; doublings between sizes, 1 for another text.
double distance(const Facts& a, const Facts& b);

/// The best of one study.
struct KnownBest {
  MachineClass machine;
  Facts problem;
  Configuration difference;  ///< knobs other than in the baseline; empty: none
  double seconds = 0;
  std::optional<double> over_baseline;  ///< how many times faster, paired; absent: not measured so
  double gap = 1;                       ///< over the bound
  std::string compiler, date, version;  ///< version of Rooftune
  std::string study;                    ///< its id, for keepers of the records; may be empty
};

struct BestKnown {
  std::string kernel, backend;
  std::vector<KnownBest> entries;
};

/// Of the same machine class and problem the faster one stays.
void add(BestKnown& known, KnownBest entry);
/// "rooftune-best-known-1". Throws Error with all faults.
BestKnown best_known_from_json(const Json& json, const std::string& where);
Json to_json(const BestKnown& known);
/// <kernel>.<backend>.json in best_known_directory(); nullopt without one. Throws Error for an
/// unreadable one.
std::optional<BestKnown> shipped_best(const std::string& kernel, const std::string& backend);

}  // namespace rooftune::study
