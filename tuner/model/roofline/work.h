// Least demands of a kernel: floating-point work, bytes moved, and the walls of its traffic.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/quantity.h"
#include "roofline/paradigm.h"

namespace rooftune::roofline {

/// Operations of each kind, by precision and kind: add, mul, div, sqrt. A fused multiply-add is one
/// of each of the first two.
using LeastOperations = std::map<std::string, std::map<std::string, double>>;
const std::vector<std::string>& operation_kinds();

/// Least (algorithmic) floating-point operations per precision: {"fp64": flops}.
struct Work {
  std::map<std::string, Flops> least;
  /// The least of each kind, whatever form the algorithm takes; absent where it is not known.
  LeastOperations operations = {};
  Flops nominal{0};  ///< fixed formula shown to people as flop/s
  double items = 0;  ///< updates, cells, ...
  std::string item;  ///< singular: "update"
  static void fields(auto& self, auto& visit) {
    visit.defaulted("least", self.least)("nominal", self.nominal);
    visit.defaulted("items", self.items).defaulted("item", self.item);
    visit.sparse("operations", self.operations).open();
  }
};

/// The least of all precisions [flop]; 0 for a kernel that declares none.
inline double least_flops(const Work& work) {
  double all = 0;
  for (const auto& [precision, count] : work.least) all += count.value();
  return all;
}

/// A locality wall: the traffic of a variant without one optimisation.
struct Wall {
  std::string name;   ///< "write allocate", "no reuse between steps", "CSR 32-bit indices"
  Paradigm lacks{};   ///< the paradigm to remove it
  std::string level;  ///< "DRAM", or empty: the outermost level with traffic
  Bytes read{0}, write{0};
  static void fields(auto& self, auto& visit) {
    visit("name", self.name)("breaks", self.lacks).defaulted("level", self.level);
    visit("read", self.read)("write", self.write).open();
  }
};

/// Least (compulsory) traffic of one call, and the data it touches.
struct Traffic {
  Bytes read{0}, write{0};  ///< each distinct byte once
  Bytes footprint{0};       ///< distinct bytes touched
  bool warm = true;         ///< data of the last repetition may still be in the caches
  std::vector<Wall> walls;
  /// Some bytes are read and written: such lines need no second stream and no write allocate.
  bool in_place() const;
  /// Of the bytes moved; 1 without any.
  double share_read() const;
  static void fields(auto& self, auto& visit) {
    visit("read", self.read)("write", self.write)("footprint", self.footprint);
    visit.defaulted("warm", self.warm).defaulted("walls", self.walls).open();
  }
};

/// Least bytes moved by some variants.
struct Movement {
  std::string what;   ///< "no reuse between steps", "one pass for each time block"
  std::string level;  ///< the only level it is certain of; empty: every level
  Bytes read{0}, write{0};
  /// Distinct bytes of one pass; nullopt: perhaps no more than the problem's.
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
using TrafficByLevel = std::map<std::string, LevelTraffic>;

}  // namespace rooftune::roofline
