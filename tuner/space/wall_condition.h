// What a search-space file states about walls: which configurations certainly stand in front of
// one.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/json.h"
#include "space/search_space.h"

namespace rooftune::inline space {

/// Where `holds`, a variant moves at least the traffic of this wall of the kernel.
struct WallCondition {
  std::string wall;  ///< its name in kernel.json
  Expression holds;  ///< over knobs and facts
};

class WallConditions {
 public:
  WallConditions() = default;
  WallConditions(std::vector<WallCondition> all, Facts facts)
      : all_(std::move(all)), facts_(std::move(facts)) {}
  const std::vector<WallCondition>& all() const { return all_; }
  /// Names of the walls that a configuration certainly stands in front of; a statement without a
  /// result (division by zero) says nothing.
  std::vector<std::string> walls(const Configuration& configuration) const;

 private:
  std::vector<WallCondition> all_;
  Facts facts_;
};

/// The member "walls" of a search-space file: [{"wall": name, "holds": expression}]; absent: none.
/// Throws Error with all faults: an expression that does not parse, a name that is neither a knob
/// of the space nor a fact.
WallConditions read_wall_conditions(const std::filesystem::path& file, const SearchSpace& space,
                                    const Facts& facts);
WallConditions wall_conditions_from_json(const Json& json, const std::string& where,
                                         const SearchSpace& space, const Facts& facts);

}  // namespace rooftune::inline space
