// What a search space computes once: its graph, the allowed set and the rules for conditional
// knobs.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/list.h"
#include "core/unique.h"
#include "space/diagram.h"
#include "space/search_space.h"

namespace rooftune::space {

/// Throws Error with all faults: duplicate or empty knobs, values and defaults, unknown names,
/// cycles.
void check_space(const std::string& name, const Knobs& knobs, const Constraints& constraints,
                 const Facts& facts);

struct SearchSpace::Index : Unique {
  /// Leaves out the allowed set: build() makes it, or the owner.
  Index(Knobs knobs, const Constraints& constraints, Facts facts);

  /// Makes the allowed set for these constraints.
  void build(const Constraints& constraints);
  /// The numbers of constraints that cannot hold together; none can be left out.
  Indices conflict() const;
  /// Sets inactive knobs to their default.
  void normalise(Assignment& assignment) const;
  /// Whether the knob is active under the other knobs' values.
  bool active(size_t knob, const Assignment& assignment) const;
  /// A configuration's value numbers; throws Error when it does not belong to this space.
  Assignment assignment(const Configuration& configuration, const std::string& space) const;
  /// nullopt for a value outside the knob's.
  std::optional<uint32_t> value_number(size_t knob, const Value& value) const;
  /// Values next to each value in numeric order, nearest below first; empty for texts.
  std::vector<uint32_t> adjacent(size_t knob, uint32_t value) const;

  Knobs knobs;
  Facts facts;
  ByName<size_t> knob_numbers;
  std::vector<uint32_t> defaults;

  struct ActiveRule {
    size_t knob = 0;
    ExpressionGraph::NodeId active = 0;
    ExpressionGraph::NodeIds program;
    Indices inputs;
  };
  std::vector<ActiveRule> rules;               ///< in active_order
  std::vector<std::optional<size_t>> rule_of;  ///< by knob

  bool listed = false;  ///< a list is allowed, not what constraints admit

 private:
  bool holds(const ActiveRule& rule, const Assignment& assignment, Scalars& registers) const;
  bool satisfiable(const std::vector<bool>& with) const;
  ExpressionGraph::NodeIds conditions(const std::vector<bool>& with) const;

  std::vector<std::map<Value, uint32_t>> numbers_;  ///< by knob: its values in order
  std::vector<bool> numeric_;                       ///< by knob: all values are numbers
  ExpressionGraph graph_;
  std::vector<ExpressionGraph::NodeIds> conditions_;  ///< by constraint
  ExpressionGraph::NodeIds rule_conditions_;
  Scalars registers_;

 public:
  std::optional<Diagram> allowed;
};

}  // namespace rooftune::space
