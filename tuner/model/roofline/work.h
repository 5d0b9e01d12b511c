// What a problem needs, whatever variant computes it: operations, bytes, and the walls that bytes
// make without an optimisation.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.h"
#include "core/list.h"
#include "core/quantity.h"
#include "roofline/paradigm.h"

namespace rooftune::roofline {

/// Operation counts by precision and kind: add, mul, div, sqrt. A fused multiply-add is one add and
/// one mul.
using LeastOperations = ByName<NamedNumbers>;
const Texts& operation_kinds();

/// Least (algorithmic) floating-point operations per precision: {"fp64": flops}.
struct Work {
  ByName<Flops> least;
  /// The least of each kind, whatever form the algorithm takes; absent where it is not known.
  LeastOperations operations = {};
  /// Work and traffic are stated as far as they are known: to count more is no contradiction.
  bool partial = false;
  Flops nominal{0};  ///< fixed formula shown to people as flop/s
  double items = 0;  ///< updates, cells, ...
  std::string item;  ///< singular: "update"
  static void fields(auto& self, auto& visit) {
    visit.defaulted("least", self.least)("nominal", self.nominal);
    ROOFTUNE_EACH(visit.defaulted, self, items, item);
    visit.sparse("operations", self.operations)("partial", self.partial).open();
  }
};

/// Whether a precision means integer operations ("int32") and no flops.
inline bool is_of_integers(std::string_view precision) { return precision.starts_with("int"); }
inline const char* work_unit(std::string_view precision) {
  return is_of_integers(precision) ? "operation" : "flop";
}
/// The least over all precisions [flop], without integers; 0 for a kernel that declares none.
inline double least_flops(const Work& work) {
  double all = 0;
  for (const auto& [precision, count] : work.least)
    if (!is_of_integers(precision)) all += count.value();
  return all;
}

/// A locality wall: the traffic that a variant has without one optimisation.
struct Wall {
  std::string name;   ///< "write allocate", "no reuse between steps", "CSR 32-bit indices"
  Paradigm lacks{};   ///< the paradigm that removes it
  std::string level;  ///< "DRAM", or empty: the outermost level with traffic
  Bytes read{0}, write{0};
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_FIELD(name)("breaks", self.lacks).defaulted("level", self.level);
    ROOFTUNE_EACH(visit, self, read, write);
    visit.open();
  }
};

/// One call's least (compulsory) traffic, and the data it touches.
struct Traffic {
  Bytes read{0}, write{0};  ///< each distinct byte once
  Bytes footprint{0};       ///< distinct bytes touched
  bool warm = true;         ///< the last repetition's data may still be in the caches
  std::vector<Wall> walls;
  /// Some bytes are read and written: such lines need no second stream and no write allocate.
  bool in_place() const;
  /// Which share of the moved bytes is read; 1 without any.
  double share_read() const;
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit, self, read, write, footprint);
    ROOFTUNE_EACH(visit.defaulted, self, warm, walls);
    visit.open();
  }
};

/// The least bytes that some variants move.
struct Movement {
  std::string what;   ///< "no reuse between steps", "one pass for each time block"
  std::string level;  ///< the only level it is certain at; empty: every level
  Bytes read{0}, write{0};
  /// Distinct bytes in one pass; nullopt: perhaps no more than the problem's.
  std::optional<Bytes> footprint = {};
  double passes = 1;          ///< over the data: each finds the caches as the one before left them
  bool plain_stores = false;  ///< none goes past the caches
};

/// Bytes across the boundary outside one level's inner neighbour.
struct LevelTraffic {
  Bytes read{0}, write{0};
  Bytes either{0};  ///< more, read or written at a variant's choice
  Bytes total() const { return read + write + either; }
};
using TrafficByLevel = ByName<LevelTraffic>;

}  // namespace rooftune::roofline
