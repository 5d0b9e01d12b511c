// All expressions of a search space as one graph of scalar operations over knobs; equal parts are
// one node. Knobs and facts must outlive it.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/expression.h"
#include "core/expression_node.h"
#include "core/scalar.h"
#include "space/knob.h"

namespace rooftune::space {

class ExpressionGraph {
 public:
  using NodeId = std::uint32_t;
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
    std::uint32_t subject = 0;
    std::vector<NodeId> operands;
    Scalar constant;
    bool may_be_text = false;
  };

  /// Knobs with one value are constants. Text identifiers cover knobs, facts and `expressions`.
  ExpressionGraph(const std::vector<Knob>& knobs, const Facts& facts,
                  const std::vector<const Expression*>& expressions);

  /// The conditions for "the expression holds": a conjunction or a chained comparison is several. A
  /// condition is true, false, or undefined with reason type.
  std::vector<NodeId> conditions(const Expression& expression);
  /// "`active` holds or the knob has its default": the condition on an inactive knob.
  NodeId activity(const Expression& active);
  NodeId default_unless(NodeId active, std::size_t knob);

  const std::vector<Node>& nodes() const { return nodes_; }
  /// Values of one knob as scalars, in the knob's order.
  const std::vector<Scalar>& values(std::size_t knob) const { return values_[knob]; }
  /// The node of a knob; nullopt when no expression uses it or it has one value.
  std::optional<NodeId> knob_node(std::size_t knob) const { return knob_nodes_[knob]; }
  /// The result of one node; `registers` holds the results of its operands by node.
  Scalar result(NodeId node, const std::vector<Scalar>& registers) const;
  /// Registers with the constants in their places.
  std::vector<Scalar> registers() const;
  /// All nodes below `roots` and they themselves, operands first; constants and knobs left out.
  std::vector<NodeId> below(const std::vector<NodeId>& roots) const;
  /// Knobs (of more than one value) below a node, ascending.
  std::vector<std::size_t> knobs_below(NodeId node) const;

 private:
  using Key = std::tuple<int, int, std::uint32_t, std::vector<NodeId>, std::int64_t, std::int64_t>;
  struct Opaque {
    ExpressionNode::Pointer part;
    std::string text;
    std::vector<std::size_t> knobs;
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
  std::optional<std::vector<NodeId>> compile_all(const std::vector<ExpressionNode::Pointer>& nodes);
  NodeId compile_or_opaque(const ExpressionNode::Pointer& node, const Expression& whole);
  NodeId compile_opaque(const ExpressionNode::Pointer& node, const Expression& whole);
  static Scalar decided(const Node& node, const std::vector<Scalar>& registers);
  static Scalar membership(const Node& node, const std::vector<Scalar>& registers);
  static Scalar called(const Node& node, const std::vector<Scalar>& registers);
  Scalar opaque_result(const Node& node, const std::vector<Scalar>& registers) const;
  void split(const ExpressionNode::Pointer& node, const Expression& whole,
             std::vector<NodeId>& conditions);

  const std::vector<Knob>& knobs_;
  const Facts& facts_;
  std::vector<std::vector<Scalar>> values_;
  std::vector<std::optional<NodeId>> knob_nodes_;
  std::vector<std::string> texts_;
  std::vector<Node> nodes_;
  std::map<Key, NodeId> known_;
  std::vector<Opaque> opaques_;
};

}  // namespace rooftune::space
