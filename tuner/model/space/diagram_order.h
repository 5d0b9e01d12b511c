// In which order the knobs are bound, and what each step computes and must remember.
#pragma once
#include <cstdint>
#include <vector>

#include "space/diagram.h"
#include "space/expression_graph.h"

namespace rooftune::space {

/// One level of the diagram.
struct DiagramStep {
  std::size_t knob = 0;
  std::vector<std::uint32_t> values;             ///< that no condition on this knob alone forbids
  std::vector<ExpressionGraph::NodeId> program;  ///< nodes that this knob completes, in order
  std::vector<bool> condition;                   ///< per node of the program
  std::vector<ExpressionGraph::NodeId> remembered;  ///< results that later steps still need
  std::vector<std::size_t> since;  ///< per remembered result, the step that computed it
};

/// Steps for all knobs: those that share conditions stay together, few results are open at a time.
/// `later` are conditions that only the order heeds. A knob without allowed value makes a step
/// without values.
std::vector<DiagramStep> diagram_steps(const ExpressionGraph& graph, std::size_t knobs,
                                       const std::vector<ExpressionGraph::NodeId>& conditions,
                                       WrongTypePolicy policy,
                                       const std::vector<ExpressionGraph::NodeId>& later = {});

/// Gives each node below `roots` to the first of `steps` (their knobs are set) at which all its
/// knobs are bound, and sets what each step must remember.
void assign_programs(const ExpressionGraph& graph,
                     const std::vector<ExpressionGraph::NodeId>& roots,
                     std::vector<DiagramStep>& steps);

/// False: the condition is broken. Throws WrongTypes where they are a fault.
bool condition_holds(const Scalar& result, WrongTypePolicy policy);

}  // namespace rooftune::space
