// The allowed assignments as a decision diagram: one level per knob, equal remainders shared, with
// counts. Construction merges partial assignments that no open condition can tell apart.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/expression.h"
#include "core/list.h"
#include "core/scalar.h"
#include "space/knob.h"

namespace rooftune::space {

using Scalars = std::vector<Scalar>;

class ExpressionGraph {
 public:
  using NodeId = uint32_t;
  using NodeIds = std::vector<NodeId>;
  struct Node {
    enum class Kind {
      constant,
      knob,  ///< `subject`: its number
      negate,
      plus,
      logical_not,
      truth,        ///< as bool()
      holds,        ///< as bool(), and false where the operand has no result
      binary,       ///< `code`: Operator
      conjunction,  ///< as `and`: the deciding operand
      disjunction,
      conditional,
      member,  ///< operands[0] in the others
      call,    ///< `code`: Function
      opaque,  ///< a part with lists or composed texts, number `subject`; operands are its knobs
    };
    Kind kind = Kind::constant;
    int code = 0;
    uint32_t subject = 0;
    NodeIds operands;
    Scalar constant;
    bool may_be_text = false;
  };

  /// Knobs with one value are constants. Text identifiers cover knobs, facts and `expressions`.
  ExpressionGraph(const Knobs& knobs, const Facts& facts,
                  const std::vector<const Expression*>& expressions);

  /// The conditions for "the expression holds": a conjunction or a chained comparison is several. A
  /// condition is true, false, or undefined with reason type.
  NodeIds conditions(const Expression& expression);
  /// "`active` holds or the knob has its default": the condition on an inactive knob.
  NodeId activity(const Expression& active);
  NodeId default_unless(NodeId active, size_t knob);

  const std::vector<Node>& nodes() const { return nodes_; }
  /// One knob's values as scalars, in the knob's order.
  const Scalars& values(size_t knob) const { return values_[knob]; }
  /// A knob's node; nullopt when no expression uses the knob or it has one value.
  std::optional<NodeId> knob_node(size_t knob) const { return knob_nodes_[knob]; }
  /// One node's result; `registers` holds its operands' results by node.
  Scalar result(NodeId node, const Scalars& registers) const;
  /// Registers with the constants in their places.
  Scalars registers() const;
  /// All nodes below `roots` and they themselves, operands first; constants and knobs left out.
  NodeIds below(const NodeIds& roots) const;
  /// Knobs (with more than one value) below a node, ascending.
  Indices knobs_below(NodeId node) const;

 private:
  using Key = std::tuple<int, int, uint32_t, NodeIds, int64_t, int64_t>;
  struct Opaque {
    ExpressionNode::Pointer part;
    std::string text;
    Indices knobs;
  };

  void intern(const Value& value);
  void intern(const ExpressionNode& node);
  Scalar scalar_of(const Value& value) const;
  Value value_of(const Scalar& scalar) const;
  NodeId add(Node node);
  NodeId constant(const Scalar& value);
  NodeId truth(NodeId node);
  /// nullopt: not a scalar operation, so the part around it must be opaque.
  std::optional<NodeId> compile(const ExpressionNode& node);
  std::optional<NodeId> compile_name(const std::string& name);
  std::optional<NodeId> compile_chain(const ExpressionNode& node);
  std::optional<NodeId> compile_comparison(const ExpressionNode& node);
  std::optional<NodeId> compile_pair(Operator op, const ExpressionNode& a, const ExpressionNode& b);
  std::optional<NodeId> compile_call(const ExpressionNode& node);
  std::optional<NodeIds> compile_all(const std::vector<ExpressionNode::Pointer>& nodes);
  NodeId compile_or_opaque(const ExpressionNode::Pointer& node, const Expression& whole);
  NodeId compile_opaque(const ExpressionNode::Pointer& node, const Expression& whole);
  static Scalar decided(const Node& node, const Scalars& registers);
  static Scalar membership(const Node& node, const Scalars& registers);
  static Scalar called(const Node& node, const Scalars& registers);
  Scalar opaque_result(const Node& node, const Scalars& registers) const;
  void split(const ExpressionNode::Pointer& node, const Expression& whole, NodeIds& conditions);

  const Knobs& knobs_;
  const Facts& facts_;
  std::vector<Scalars> values_;
  std::vector<std::optional<NodeId>> knob_nodes_;
  Texts texts_;
  std::vector<Node> nodes_;
  std::map<Key, NodeId> known_;
  std::vector<Opaque> opaques_;
};

/// Limits for construction: memory, and how many operations conditions may take on partial
/// assignments.
struct DiagramLimit {
  size_t bytes = 0;
  uint64_t operations = 0;
};
/// Building needs more than the limit.
struct DiagramTooLarge {};
/// There are 2^64 assignments or more.
struct TooManyAssignments {};
/// A condition computes or compares with values that have the wrong type.
struct WrongTypes {};
/// What such a condition means: a fault in the file, or one more assignment not allowed.
enum class WrongTypePolicy { fault, refusal };

class Diagram {
 public:
  /// Throws DiagramTooLarge beyond `limit`, TooManyAssignments, or WrongTypes as a fault.
  Diagram(const ExpressionGraph& graph, size_t knobs, const ExpressionGraph::NodeIds& conditions,
          const DiagramLimit& limit, WrongTypePolicy policy = WrongTypePolicy::fault);
  /// Exactly the list's assignments, in ascending order; `values` says how many values each knob
  /// has. The list may hold an assignment twice; it must not be empty.
  static Diagram of_assignments(Indices values, Assignments list);

  /// How many assignments there are.
  uint64_t size() const { return size_; }
  /// index < size().
  Assignment assignment(uint64_t index) const;
  /// nullopt when not allowed; values may be out of range.
  std::optional<uint64_t> index(const Assignment& assignment) const;
  /// By knob and value.
  ValueCounts value_counts() const;

 private:
  Diagram() = default;
  friend class DiagramReduction;
  struct Edge {
    uint32_t value, child;
    uint64_t before;  ///< assignments through the edges before this one
  };
  struct Level {
    size_t knob = 0;
    std::vector<uint32_t> begin{0};  ///< edges of node i: [begin[i], begin[i + 1])
    std::vector<Edge> edges;
    std::vector<uint64_t> total;  ///< assignments below each node
    size_t nodes() const { return begin.size() - 1; }
    std::span<const Edge> edges_of(uint32_t node) const {
      return std::span(edges).subspan(begin[node], begin[node + 1] - begin[node]);
    }
  };

  std::vector<Level> levels_;
  Indices values_;  ///< how many values each knob has
  uint64_t size_ = 0;
};

// The order in which knobs are bound, and what each step computes and remembers.

/// One level in the diagram.
struct DiagramStep {
  size_t knob = 0;
  std::vector<uint32_t> values;         ///< allowed by the conditions on this knob alone
  ExpressionGraph::NodeIds program;     ///< nodes completed by this knob, in order
  std::vector<bool> condition;          ///< per node in the program
  ExpressionGraph::NodeIds remembered;  ///< results needed by later steps
};
using DiagramSteps = std::vector<DiagramStep>;

/// Steps for all knobs: knobs with shared conditions stay together, few results are open at a time.
/// A knob without an allowed value makes a step without values.
DiagramSteps diagram_steps(const ExpressionGraph& graph, size_t knobs,
                           const ExpressionGraph::NodeIds& conditions, WrongTypePolicy policy);

/// False: the condition is broken. Throws WrongTypes where they are a fault.
bool condition_holds(const Scalar& result, WrongTypePolicy policy);

/// Computes a step for one value of its knob; `registers` hold the results of earlier steps. False
/// where a condition is broken: the rest is not computed then.
bool survives(const ExpressionGraph& graph, const DiagramStep& step, uint32_t value,
              Scalars& registers, WrongTypePolicy policy);

}  // namespace rooftune::space
