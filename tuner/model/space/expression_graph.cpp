// The graph of scalar operations: nodes, texts and results.
#include <algorithm>
#include <boost/container/small_vector.hpp>

#include "core/error.h"
#include "core/list.h"
#include "space/diagram.h"

namespace rooftune::space {

using Kind = ExpressionGraph::Node::Kind;

ExpressionGraph::ExpressionGraph(const Knobs& knobs, const Facts& facts,
                                 const std::vector<const Expression*>& expressions)
    : knobs_(knobs), facts_(facts), knob_nodes_(knobs.size()), texts_{""} {
  for (const Knob& knob : knobs)
    for (const Value& value : knob.values) intern(value);
  for (const auto& [name, value] : facts) intern(value);
  for (const Expression* expression : expressions)
    if (!expression->empty()) intern(*expression->root());
  // Sorted, so identifiers compare as the texts do; the empty text comes first.
  sort(texts_);
  drop_repeats(texts_);
  for (const Knob& knob : knobs)
    values_.push_back(
        members(knob.values, [this](const Value& value) { return scalar_of(value); }));
}

void ExpressionGraph::intern(const Value& value) {
  if (value.is_text()) texts_.push_back(value.text());
}

void ExpressionGraph::intern(const ExpressionNode& node) {
  intern(node.constant);
  for (const ExpressionNode::Pointer& child : node.children) intern(*child);
}

Scalar ExpressionGraph::scalar_of(const Value& value) const {
  if (!value.is_text()) return as_scalar(value);
  const auto found = std::lower_bound(texts_.begin(), texts_.end(), value.text());
  return Scalar::text(found - texts_.begin());
}

Value ExpressionGraph::value_of(const Scalar& scalar) const {
  if (scalar.tag == Scalar::Tag::text) return texts_[size_t(scalar.bits)];
  return value(scalar);
}

ExpressionGraph::NodeId ExpressionGraph::add(Node node) {
  const bool leaf = node.kind == Kind::constant || node.kind == Kind::knob;
  const bool known_operands =
      all_of(node.operands, [&](NodeId operand) { return nodes_[operand].kind == Kind::constant; });
  const Key key{
      int(node.kind),    node.code, node.subject, node.operands, int64_t(node.constant.tag),
      node.constant.bits};
  if (const auto* found = value_at(known_, key)) return *found;
  const auto id = NodeId(nodes_.size());
  nodes_.push_back(std::move(node));
  NodeId made = id;
  if (!leaf && known_operands) {
    const Scalar folded = result(id, registers());
    nodes_.pop_back();
    made = constant(folded);
  }
  known_.emplace(key, made);
  return made;
}

ExpressionGraph::NodeId ExpressionGraph::constant(const Scalar& value) {
  Node node;
  node.constant = value;
  node.may_be_text = value.tag == Scalar::Tag::text;
  return add(std::move(node));
}

Scalars ExpressionGraph::registers() const {
  Scalars all(nodes_.size());
  for (const size_t i : indices(nodes_))
    if (nodes_[i].kind == Kind::constant) all[i] = nodes_[i].constant;
  return all;
}

Scalar ExpressionGraph::result(NodeId id, const Scalars& registers) const {
  const Node& node = nodes_[id];
  const auto operand = [&](size_t i) -> const Scalar& { return registers[node.operands[i]]; };
  switch (node.kind) {
    case Kind::constant:
      return node.constant;
    case Kind::knob:
      return registers[id];
    case Kind::negate:
      return negated(operand(0));
    case Kind::plus:
      return plus(operand(0));
    case Kind::logical_not:
      return operand(0).is_undefined() ? operand(0) : Scalar::boolean(!operand(0).truth());
    case Kind::truth:
      return operand(0).is_undefined() ? operand(0) : Scalar::boolean(operand(0).truth());
    case Kind::holds:
      if (operand(0).is_undefined() && operand(0).reason() == Scalar::Reason::type)
        return operand(0);
      return Scalar::boolean(!operand(0).is_undefined() && operand(0).truth());
    case Kind::binary:
      return apply(Operator(node.code), operand(0), operand(1));
    case Kind::conjunction:
    case Kind::disjunction:
      return decided(node, registers);
    case Kind::conditional:
      if (operand(0).is_undefined()) return operand(0);
      return operand(operand(0).truth() ? 1 : 2);
    case Kind::member:
      return membership(node, registers);
    case Kind::call:
      return called(node, registers);
    case Kind::opaque:
      break;
  }
  return opaque_result(node, registers);
}

Scalar ExpressionGraph::decided(const Node& node, const Scalars& registers) {
  const bool decides = node.kind == Kind::disjunction;
  for (size_t i = 0; i + 1 < node.operands.size(); ++i) {
    const Scalar& operand = registers[node.operands[i]];
    if (operand.is_undefined() || operand.truth() == decides) return operand;
  }
  return registers[node.operands.back()];
}

Scalar ExpressionGraph::membership(const Node& node, const Scalars& registers) {
  const Scalar& sought = registers[node.operands.front()];
  bool found = false;
  for (const size_t i : indices(node.operands)) {
    const Scalar& operand = registers[node.operands[i]];
    // Python computes the whole list first: one element without a result leaves the call without
    // one.
    if (operand.is_undefined()) return operand;
    found = found || (i > 0 && order(sought, operand) == 0);
  }
  return Scalar::boolean(found);
}

Scalar ExpressionGraph::called(const Node& node, const Scalars& registers) {
  boost::container::small_vector<Scalar, 8> arguments;
  for (const NodeId operand : node.operands) arguments.push_back(registers[operand]);
  return call(MathFunction(node.code), {arguments.data(), arguments.size()});
}

Scalar ExpressionGraph::opaque_result(const Node& node, const Scalars& registers) const {
  const Opaque& opaque = opaques_[node.subject];
  const auto lookup = [&](const std::string& name) -> std::optional<Value> {
    for (const size_t i : indices(opaque.knobs))
      if (knobs_[opaque.knobs[i]].name == name) return value_of(registers[node.operands[i]]);
    for (const Knob& knob : knobs_)
      if (knob.name == name) return knob.values.front();
    return copy_at(facts_, name);
  };
  try {
    return Scalar::boolean(evaluated(*opaque.part, opaque.text, lookup).truth());
  } catch (const UndefinedResult&) {
    return Scalar::undefined(Scalar::Reason::domain);
  } catch (const Error&) {
    return Scalar::undefined(Scalar::Reason::type);
  }
}

ExpressionGraph::NodeIds ExpressionGraph::below(const NodeIds& roots) const {
  std::vector<bool> reached(nodes_.size());
  for (const NodeId root : roots) reached[root] = true;
  // Operands have smaller numbers than their users.
  for (size_t i = nodes_.size(); i-- > 0;)
    if (reached[i])
      for (const NodeId operand : nodes_[i].operands) reached[operand] = true;
  NodeIds order;
  for (const size_t i : indices(nodes_))
    if (reached[i] && nodes_[i].kind != Kind::constant && nodes_[i].kind != Kind::knob)
      order.push_back(NodeId(i));
  return order;
}

Indices ExpressionGraph::knobs_below(NodeId node) const {
  std::vector<bool> reached(nodes_.size());
  reached[node] = true;
  Indices knobs;
  for (size_t i = size_t(node) + 1; i-- > 0;) {
    if (!reached[i]) continue;
    if (nodes_[i].kind == Kind::knob) knobs.push_back(nodes_[i].subject);
    for (const NodeId operand : nodes_[i].operands) reached[operand] = true;
  }
  sort(knobs);
  return knobs;
}

}  // namespace rooftune::space
