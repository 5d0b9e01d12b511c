// Repair of an assignment: one knob after another takes the value with the fewest broken conditions
// (Minton et al. 1992). The graph must outlive it.
#pragma once
#include <optional>
#include <vector>

#include "core/rng.h"
#include "space/configuration.h"
#include "space/diagram_order.h"
#include "space/expression_graph.h"

namespace rooftune::space {

class Repair {
 public:
  using NodeId = ExpressionGraph::NodeId;

  Repair(const ExpressionGraph& graph, std::size_t knobs, const std::vector<NodeId>& conditions);
  /// Changes at most `steps` values; nullopt when conditions are still broken then.
  std::optional<Assignment> repaired(Assignment start, int steps, Rng& rng) const;
  /// `steps` times tries another value of a knob, each drawn at random, and keeps allowed ones:
  /// many steps forget where they began, as far as such steps lead.
  Assignment random_walk(Assignment allowed, int steps, Rng& rng) const;

 private:
  /// The conditions of one knob.
  struct Part {
    std::vector<NodeId> conditions, program;
  };
  std::size_t broken(const Part& part, std::vector<Scalar>& registers) const;
  void set(std::vector<Scalar>& registers, std::size_t knob, std::uint32_t value) const;
  std::uint32_t best_value(std::size_t knob, std::vector<Scalar>& registers, Rng& rng) const;
  std::optional<std::size_t> knob_of_broken(std::vector<Scalar>& registers, Rng& rng) const;

  const ExpressionGraph& graph_;
  std::size_t knobs_;
  std::vector<Part> parts_;  ///< by knob
  Part all_;
  std::vector<std::size_t> movable_;  ///< knobs of more than one value
};

}  // namespace rooftune::space
