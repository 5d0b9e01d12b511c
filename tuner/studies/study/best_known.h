// The best that studies found, as files hold it for other machines and problems, and how alike
// machines and problems are.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/fields.h"
#include "core/list.h"
#include "roofline/machine.h"
#include "space/knob.h"

namespace rooftune::study {

inline constexpr const char* best_known_schema = "rooftune-best-known-1";

/// The properties by which a machine is compared to another.
struct MachineClass {
  MachineKind kind = MachineKind::cpu;
  std::string model;  ///< "AMD EPYC 9575F 64-Core Processor", "NVIDIA A100-SXM4-40GB"
  int cores = 1;      ///< usable
  int simd_bits = 0;
  Texts features;  ///< instruction sets
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit, self, kind, model, cores);
    visit.defaulted("simd_bits", self.simd_bits)("features", self.features);
  }
  bool operator==(const MachineClass&) const = default;
};
MachineClass machine_class(const Machine& machine);
/// 0: the same class; grows where features, vector width, core count, model or vendor differ.
double distance(const MachineClass& a, const MachineClass& b);
/// The distance between two problems, 0 for the same: each number adds the doublings between its
/// values, each other text and each missing fact adds 1.
double distance(const Facts& a, const Facts& b);

/// The best that a study found.
struct KnownBest {
  MachineClass machine;
  Facts problem;
  Configuration difference;  ///< knobs that differ from the baseline; empty: none
  double seconds = 0;
  std::optional<double> over_baseline;  ///< how many times faster, paired; absent: not measured so
  double gap = 1;                       ///< time over the bound
  std::string compiler, date, version;  ///< Rooftune's version
  std::string study;                    ///< its id, for those who keep its records; may be empty
  static void fields(auto& self, auto& visit) {
    constexpr const char* positive = "must be more than 0";
    ROOFTUNE_EACH(visit, self, machine, problem);
    visit("configuration", self.difference)("seconds", self.seconds);
    visit.check("seconds", self.seconds > 0, positive)
        .defaulted("over_baseline", self.over_baseline);
    visit.check("over_baseline", self.over_baseline.value_or(1) > 0, positive);
    ROOFTUNE_FIELD(gap).check("gap", self.gap > 0, positive);
    ROOFTUNE_EACH(visit.defaulted, self, compiler, date, version, study);
  }
};

struct BestKnown {
  std::string kernel, backend;
  std::vector<KnownBest> entries;
  static void fields(auto& self, auto& visit) {
    visit.schema(best_known_schema, "tune export --format best-known writes such files");
    ROOFTUNE_EACH(visit, self, kernel, backend, entries);
  }
};

/// The faster entry for the same machine class and problem stays.
void add(BestKnown& known, KnownBest entry);

}  // namespace rooftune::study
