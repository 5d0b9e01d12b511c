// The order of binding the knobs, and the computations and memory of each step.
#pragma once
#include <cstdint>
#include <vector>

#include "space/diagram.h"
#include "space/expression_graph.h"

namespace rooftune::space {

/// One level of the diagram.
struct DiagramStep {
  std::size_t knob = 0;
  std::vector<std::uint32_t> values;                ///< allowed by the conditions on it alone
  std::vector<ExpressionGraph::NodeId> program;     ///< nodes completed by this knob, in order
  std::vector<bool> condition;                      ///< per node of the program
  std::vector<ExpressionGraph::NodeId> remembered;  ///< results needed by later steps
  std::vector<std::size_t> since;                   ///< per remembered result, its step
};

/// Steps for all knobs: knobs with shared conditions stay together, few results are open at a time.
/// `later` are conditions used for the order only. A knob without allowed value makes a step
/// without values.
std::vector<DiagramStep> diagram_steps(const ExpressionGraph& graph, std::size_t knobs,
                                       const std::vector<ExpressionGraph::NodeId>& conditions,
                                       WrongTypePolicy policy,
                                       const std::vector<ExpressionGraph::NodeId>& later = {});

/// Gives each node below `roots` to the first of `steps` (their knobs are set) with all its knobs
/// bound, and sets the results each step must remember.
void assign_programs(const ExpressionGraph& graph,
                     const std::vector<ExpressionGraph::NodeId>& roots,
                     std::vector<DiagramStep>& steps);

/// False: the condition is broken. Throws WrongTypes where they are a fault.
bool condition_holds(const Scalar& result, WrongTypePolicy policy);

}  // namespace rooftune::space
