// The knob order decides how large a diagram is: a level has at most one node for each combination
// of bound knobs that an open condition still sees. To find the best order is NP-hard (for binary
// diagrams: Bollig, Wegener, IEEE Trans. Computers 45(9), 1996). So the next knob is greedily the
// knob with the fewest open combinations after it; among equals the knob that closes most
// conditions, then the knob with the fewest values. Knobs without conditions come last, where they
// cost one node each.
#include "space/diagram.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/list.h"

namespace rooftune::space {
namespace {

using NodeId = ExpressionGraph::NodeId;
using NodeIds = ExpressionGraph::NodeIds;

struct OpenCondition {
  NodeId node;
  Indices knobs;
};

/// The values that the conditions on this knob alone allow.
std::vector<uint32_t> allowed_values(const ExpressionGraph& graph, size_t knob,
                                     const NodeIds& conditions, WrongTypePolicy policy) {
  Scalars registers = graph.registers();
  const NodeIds program = graph.below(conditions);
  std::vector<uint32_t> allowed;
  const Scalars& values = graph.values(knob);
  for (uint32_t v = 0; v < values.size(); ++v) {
    if (const auto node = graph.knob_node(knob)) registers[*node] = values[v];
    for (const NodeId node : program) registers[node] = graph.result(node, registers);
    if (all_of(conditions, [&](NodeId node) { return condition_holds(registers[node], policy); }))
      allowed.push_back(v);
  }
  return allowed;
}

/// Binds knob after knob; can tell cheaply how many combinations are open after one more.
class Frontier {
 public:
  Frontier(Numbers weights, const std::vector<OpenCondition>& conditions)
      : weights_(std::move(weights)), conditions_(conditions), bound_(weights_.size()) {}

  /// Logarithm of how many combinations of bound knobs open conditions still see.
  double weight_with(size_t candidate) const {
    std::vector<bool> open(weights_.size());
    for (const OpenCondition& condition : conditions_) {
      if (completes(condition, candidate)) continue;
      for (const size_t k : condition.knobs) open[k] = open[k] || bound_[k] || k == candidate;
    }
    double weight = 0;
    for (const size_t k : indices(weights_))
      if (open[k]) weight += weights_[k];
    return weight;
  }
  ptrdiff_t completed_with(size_t candidate) const {
    return count_if(conditions_, [&](const OpenCondition& condition) {
      const auto& knobs = condition.knobs;
      return contains(knobs, candidate) && completes(condition, candidate);
    });
  }
  bool is_bound(size_t knob) const { return bound_[knob]; }
  void bind(size_t knob) { bound_[knob] = true; }
  double weight(size_t knob) const { return weights_[knob]; }

 private:
  bool completes(const OpenCondition& condition, size_t candidate) const {
    return all_of(condition.knobs, [&](size_t k) { return bound_[k] || k == candidate; });
  }
  Numbers weights_;
  const std::vector<OpenCondition>& conditions_;
  std::vector<bool> bound_;
};

Indices knob_order(const DiagramSteps& steps, const std::vector<OpenCondition>& conditions) {
  Numbers weights;
  for (const DiagramStep& step : steps)
    weights.push_back(std::log2(std::max<double>(1, double(step.values.size()))));
  std::vector<bool> conditioned(steps.size());
  for (const OpenCondition& condition : conditions)
    for (const size_t k : condition.knobs) conditioned[k] = true;
  Frontier frontier(std::move(weights), conditions);
  Indices order;
  for (;;) {
    size_t best = steps.size();
    std::tuple<double, ptrdiff_t, double> best_cost;
    for (const size_t k : indices(steps)) {
      if (frontier.is_bound(k) || !conditioned[k]) continue;
      const std::tuple cost{frontier.weight_with(k), -frontier.completed_with(k),
                            frontier.weight(k)};
      if (best < steps.size() && cost >= best_cost) continue;
      best = k;
      best_cost = cost;
    }
    if (best == steps.size()) break;
    frontier.bind(best);
    order.push_back(best);
  }
  // Free knobs last: one node each.
  for (const size_t k : indices(steps))
    if (!conditioned[k]) order.push_back(k);
  return order;
}

/// Gives each node below `roots` to the first step that has all the node's knobs bound (the steps'
/// knobs are set), and sets the results each step must remember.
void assign_programs(const ExpressionGraph& graph, const NodeIds& roots, DiagramSteps& steps) {
  constexpr size_t never = std::numeric_limits<size_t>::max();
  const NodeIds program = graph.below(roots);
  Indices completed(graph.nodes().size(), never), needed(graph.nodes().size(), 0);
  for (const size_t s : indices(steps))
    if (const auto node = graph.knob_node(steps[s].knob)) completed[*node] = s;
  for (const NodeId node : program) {
    size_t at = 0;
    for (const NodeId operand : graph.nodes()[node].operands)
      if (completed[operand] != never) at = std::max(at, completed[operand]);
    completed[node] = at;
    steps[at].program.push_back(node);
    steps[at].condition.push_back(contains(roots, node));
    for (const NodeId operand : graph.nodes()[node].operands)
      needed[operand] = std::max(needed[operand], at);
  }
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (completed[node] == never ||
        graph.nodes()[node].kind == ExpressionGraph::Node::Kind::constant)
      continue;
    for (size_t s = completed[node]; s < needed[node]; ++s) steps[s].remembered.push_back(node);
  }
}

}  // namespace

bool condition_holds(const Scalar& result, WrongTypePolicy policy) {
  if (!result.is_undefined()) return result.truth();
  if (policy == WrongTypePolicy::fault) throw WrongTypes{};
  return false;
}

bool survives(const ExpressionGraph& graph, const DiagramStep& step, uint32_t value,
              Scalars& registers, WrongTypePolicy policy) {
  if (const auto knob = graph.knob_node(step.knob))
    registers[*knob] = graph.values(step.knob)[value];
  for (const size_t i : indices(step.program)) {
    const NodeId node = step.program[i];
    registers[node] = graph.result(node, registers);
    if (step.condition[i] && !condition_holds(registers[node], policy)) return false;
  }
  return true;
}

DiagramSteps diagram_steps(const ExpressionGraph& graph, size_t knobs, const NodeIds& conditions,
                           WrongTypePolicy policy) {
  std::vector<NodeIds> alone(knobs);
  std::vector<OpenCondition> open;
  bool possible = true;
  for (const NodeId node : conditions) {
    Indices below = graph.knobs_below(node);
    if (below.empty())
      possible = condition_holds(graph.nodes()[node].constant, policy) && possible;
    else if (below.size() == 1)
      alone[below.front()].push_back(node);
    else
      open.push_back({node, std::move(below)});
  }
  DiagramSteps unordered(knobs), steps;
  for (size_t k = 0; k < knobs; ++k) {
    unordered[k].knob = k;
    if (possible) unordered[k].values = allowed_values(graph, k, alone[k], policy);
  }
  for (const size_t k : knob_order(unordered, open)) steps.push_back(std::move(unordered[k]));
  NodeIds roots = members(open, &OpenCondition::node);
  sort(roots);
  drop_repeats(roots);
  assign_programs(graph, roots, steps);
  return steps;
}

Assignment Diagram::assignment(uint64_t index) const {
  assert(index < size_);
  Assignment result(values_.size());
  uint32_t node = 0;
  for (const Level& level : levels_) {
    const Edge& edge =
        *std::prev(std::ranges::upper_bound(level.edges_of(node), index, {}, &Edge::before));
    index -= edge.before;
    result[level.knob] = edge.value;
    node = edge.child;
  }
  return result;
}

std::optional<uint64_t> Diagram::index(const Assignment& assignment) const {
  if (size_ == 0) return std::nullopt;
  uint64_t index = 0;
  uint32_t node = 0;
  for (const Level& level : levels_) {
    const std::span<const Edge> edges = level.edges_of(node);
    const uint32_t value = assignment[level.knob];
    const auto edge = std::ranges::lower_bound(edges, value, {}, &Edge::value);
    if (edge == edges.end() || edge->value != value) return std::nullopt;
    index += edge->before;
    node = edge->child;
  }
  return index;
}

ValueCounts Diagram::value_counts() const {
  ValueCounts counts;
  for (const size_t values : values_) counts.emplace_back(values);
  if (size_ == 0) return counts;
  // Paths from the root to each node on a level; times the total below an edge they give the
  // assignments through that edge.
  std::vector<uint64_t> paths{1};
  for (const size_t l : indices(levels_)) {
    const Level& level = levels_[l];
    const bool last = l + 1 == levels_.size();
    std::vector<uint64_t> next(last ? 1 : levels_[l + 1].total.size());
    for (uint32_t node = 0; node < paths.size(); ++node)
      for (const Edge& edge : level.edges_of(node)) {
        const uint64_t below = last ? 1 : levels_[l + 1].total[edge.child];
        counts[level.knob][edge.value] += paths[node] * below;
        next[edge.child] += paths[node];
      }
    paths = std::move(next);
  }
  return counts;
}

}  // namespace rooftune::space
