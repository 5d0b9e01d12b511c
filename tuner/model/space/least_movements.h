// Statements of a search-space file about the least bytes moved by configurations: the walls of the
// kernel in front of which they certainly stand, and traffic of their own.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "core/json.h"
#include "roofline/work.h"
#include "space/search_space.h"

namespace rooftune::space {

/// Where `holds`, a variant moves at least the traffic of this wall of the kernel.
struct WallStatement {
  std::string wall;  ///< its name in kernel.json
  Expression holds;  ///< over knobs and facts
};

/// Where `holds` (empty: everywhere), a variant moves at least so much at every level. Expressions
/// over knobs and facts; empty ones are the problem's own figures.
struct MoveStatement {
  std::string what;
  Expression holds;
  Expression read, write, footprint;  ///< [B]
  Expression passes;
  Expression plain_stores;  ///< true where no store goes past the caches
};

class LeastMovements {
 public:
  LeastMovements() = default;
  LeastMovements(std::vector<WallStatement> walls, std::vector<MoveStatement> moves, Facts facts)
      : walls_(std::move(walls)), moves_(std::move(moves)), facts_(std::move(facts)) {}
  const std::vector<WallStatement>& walls() const { return walls_; }
  /// Every certain movement of a configuration, of a problem of this least traffic. A statement
  /// without a result (division by zero) is ignored.
  std::vector<Movement> compute(const Configuration& configuration, const Traffic& traffic) const;
  /// The knobs in the statements.
  std::set<std::string> knobs() const;

 private:
  std::vector<WallStatement> walls_;
  std::vector<MoveStatement> moves_;
  Facts facts_;
};

/// The members "walls" and "moves" of a search-space file (docs/formats.md); absent: none. Throws
/// Error with all faults: an expression with a syntax error, a name that is neither a knob of the
/// space nor a fact.
LeastMovements least_movements_from_json(const Json& json, const std::string& where,
                                         const SearchSpace& space, const Facts& facts);

}  // namespace rooftune::space
