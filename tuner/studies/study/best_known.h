// Best known variants of a kernel on all measured machines: a small file per kernel and back end,
// shipped with Rooftune, as a start for studies elsewhere.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/fields.h"
#include "roofline/machine.h"
#include "space/knob.h"

namespace rooftune::study {

inline constexpr const char* best_known_schema = "rooftune-best-known-1";

/// Properties of a machine that measure its likeness to another.
struct MachineClass {
  MachineKind kind = MachineKind::cpu;
  std::string model;  ///< "AMD EPYC 9575F 64-Core Processor", "NVIDIA A100-SXM4-40GB"
  int cores = 1;      ///< usable
  int simd_bits = 0;
  std::vector<std::string> features;  ///< instruction sets
  static void fields(auto& self, auto& visit) {
    visit("kind", self.kind)("model", self.model)("cores", self.cores);
    visit.defaulted("simd_bits", self.simd_bits)("features", self.features);
  }
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
  static void fields(auto& self, auto& visit) {
    constexpr const char* positive = "must be more than 0";
    visit("machine", self.machine)("problem", self.problem)("configuration", self.difference);
    visit("seconds", self.seconds).check("seconds", self.seconds > 0, positive);
    visit.defaulted("over_baseline", self.over_baseline)
        .check("over_baseline", self.over_baseline.value_or(1) > 0, positive);
    visit("gap", self.gap).check("gap", self.gap > 0, positive);
    visit.defaulted("compiler", self.compiler).defaulted("date", self.date);
    visit.defaulted("version", self.version).defaulted("study", self.study);
  }
};

struct BestKnown {
  std::string kernel, backend;
  std::vector<KnownBest> entries;
  static void fields(auto& self, auto& visit) {
    visit.schema(best_known_schema, "tune export --format best-known writes such files");
    visit("kernel", self.kernel)("backend", self.backend)("entries", self.entries);
  }
};

/// Of the same machine class and problem the faster one stays.
void add(BestKnown& known, KnownBest entry);
/// <kernel>.<backend>.json in best_known_directory(); nullopt without one. Throws Error for an
/// unreadable one.
std::optional<BestKnown> shipped_best(const std::string& kernel, const std::string& backend);

}  // namespace rooftune::study
