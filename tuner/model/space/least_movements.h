// Statements of a search-space file about the least bytes moved by configurations: the walls of the
// kernel in front of which they certainly stand, and traffic of their own.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/json.h"
#include "roofline/roofline.h"
#include "space/search_space.h"

namespace rooftune::space {

/// Where its part "holds" is true, or absent, a variant moves at least so much.
struct LeastMovement {
  std::string what;  ///< of a wall its name in kernel.json
  /// Expressions over knobs and facts, by member of the file: "holds", and of a movement of its own
  /// "read", "write", "footprint" [B], "passes", and "plain_stores", true where no store goes past
  /// the caches. Absent ones are the problem's own figures.
  std::map<std::string, Expression> parts = {};
};

struct LeastMovements {
  std::vector<LeastMovement> walls, moves;
  Facts facts;
  /// Every certain movement of a configuration, of a problem of this least traffic. A statement
  /// without a result (division by zero) is ignored.
  std::vector<Movement> compute(const Configuration& configuration, const Traffic& traffic) const;
  /// The knobs in the statements.
  std::set<std::string> knobs() const;
};

/// The members "walls" and "moves" of a search-space file (docs/formats.md); absent: none. Throws
/// Error with all faults: an expression with a syntax error, a name that is neither a knob of the
/// space nor a fact.
LeastMovements least_movements_from_json(const Json& json, const std::string& where,
                                         const SearchSpace& space, const Facts& facts);

}  // namespace rooftune::space
