// From expression trees to the graph. Anything but a scalar operation becomes one opaque node as
// small as its boolean surroundings allow.
#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/list.h"
#include "space/diagram.h"

namespace rooftune::space {
namespace {

using Kind = ExpressionGraph::Node::Kind;
using NodeId = ExpressionGraph::NodeId;
using NodeIds = ExpressionGraph::NodeIds;
using Tree = ExpressionNode;
using TreeKind = ExpressionNode::Kind;

ExpressionGraph::Node operation(Kind kind, NodeIds operands, int code = 0) {
  ExpressionGraph::Node node;
  node.kind = kind;
  node.code = code;
  node.operands = std::move(operands);
  return node;
}

void collect_names(const Tree& node, Texts& names) {
  if (node.kind == TreeKind::name) names.push_back(node.name);
  for (const Tree::Pointer& child : node.children) collect_names(*child, names);
}

bool is_boolean(const ExpressionGraph::Node& node) {
  using enum Kind;
  switch (node.kind) {
    case constant:
      return node.constant.tag == Scalar::Tag::boolean || node.constant.is_undefined();
    case logical_not:
    case truth:
    case holds:
    case member:
    case opaque:
      return true;
    case binary:
      return node.code >= int(Operator::less);
    default:
      return false;
  }
}

}  // namespace

NodeId ExpressionGraph::truth(NodeId node) {
  return is_boolean(nodes_[node]) ? node : add(operation(Kind::truth, {node}));
}

NodeIds ExpressionGraph::conditions(const Expression& expression) {
  NodeIds all;
  split(expression.root(), expression, all);
  for (NodeId& condition : all) condition = add(operation(Kind::holds, {condition}));
  return all;
}

NodeId ExpressionGraph::activity(const Expression& active) {
  return add(operation(Kind::holds, {compile_or_opaque(active.root(), active)}));
}

NodeId ExpressionGraph::default_unless(NodeId active, size_t knob) {
  const NodeId fallback = constant(scalar_of(knobs_[knob].fallback));
  const NodeId equal = add(
      operation(Kind::binary, {*compile_name(knobs_[knob].name), fallback}, int(Operator::equal)));
  return add(operation(Kind::disjunction, {active, equal}));
}

void ExpressionGraph::split(const Tree::Pointer& node, const Expression& whole,
                            NodeIds& conditions) {
  if (node->kind == TreeKind::conjunction) {
    for (const Tree::Pointer& child : node->children) split(child, whole, conditions);
    return;
  }
  if (node->kind == TreeKind::compare && node->operators.size() > 1) {
    for (const size_t i : indices(node->operators)) {
      auto pair = std::make_shared<Tree>(*node);
      pair->operators = {node->operators[i]};
      pair->children = {node->children[i], node->children[i + 1]};
      conditions.push_back(compile_or_opaque(pair, whole));
    }
    return;
  }
  conditions.push_back(compile_or_opaque(node, whole));
}

NodeId ExpressionGraph::compile_or_opaque(const Tree::Pointer& node, const Expression& whole) {
  // and, or, not keep their structure, so only operands that need it become opaque.
  if (node->kind == TreeKind::conjunction || node->kind == TreeKind::disjunction) {
    NodeIds operands;
    for (const Tree::Pointer& child : node->children)
      operands.push_back(compile_or_opaque(child, whole));
    return add(
        operation(node->kind == TreeKind::conjunction ? Kind::conjunction : Kind::disjunction,
                  std::move(operands)));
  }
  if (node->kind == TreeKind::logical_not)
    return add(operation(Kind::logical_not, {compile_or_opaque(node->children[0], whole)}));
  if (const auto compiled = compile(*node)) return truth(*compiled);
  return compile_opaque(node, whole);
}

NodeId ExpressionGraph::compile_opaque(const Tree::Pointer& node, const Expression& whole) {
  Texts names;
  collect_names(*node, names);
  Opaque opaque{node, whole.text(), {}};
  Node made = operation(Kind::opaque, {});
  for (const size_t k : indices(knobs_)) {
    const bool used = contains(names, knobs_[k].name);
    if (!used || knobs_[k].values.size() == 1) continue;
    opaque.knobs.push_back(k);
    made.operands.push_back(*compile_name(knobs_[k].name));
  }
  made.subject = uint32_t(opaques_.size());
  opaques_.push_back(std::move(opaque));
  return add(std::move(made));
}

std::optional<NodeId> ExpressionGraph::compile(const Tree& node) {
  switch (node.kind) {
    case TreeKind::constant:
      return constant(scalar_of(node.constant));
    case TreeKind::name:
      return compile_name(node.name);
    case TreeKind::chain:
      return compile_chain(node);
    case TreeKind::compare:
      return compile_comparison(node);
    case TreeKind::call:
      return compile_call(node);
    case TreeKind::list:
    case TreeKind::index:
    case TreeKind::comprehension:
      return std::nullopt;
    default:
      break;
  }
  const auto operands = compile_all(node.children);
  if (!operands) return std::nullopt;
  static const std::map<Tree::Kind, Kind> kinds{
      {TreeKind::negate, Kind::negate},           {TreeKind::plus, Kind::plus},
      {TreeKind::logical_not, Kind::logical_not}, {TreeKind::conjunction, Kind::conjunction},
      {TreeKind::disjunction, Kind::disjunction}, {TreeKind::conditional, Kind::conditional}};
  Node made = operation(kinds.at(node.kind), *operands);
  for (const NodeId operand : *operands)
    made.may_be_text = made.may_be_text || nodes_[operand].may_be_text;
  return add(std::move(made));
}

std::optional<NodeId> ExpressionGraph::compile_name(const std::string& name) {
  for (const size_t k : indices(knobs_)) {
    if (knobs_[k].name != name) continue;
    if (values_[k].size() == 1) return constant(values_[k].front());
    Node node;
    node.kind = Kind::knob;
    node.subject = uint32_t(k);
    node.may_be_text =
        any_of(values_[k], [](const Scalar& s) { return s.tag == Scalar::Tag::text; });
    knob_nodes_[k] = add(std::move(node));
    return knob_nodes_[k];
  }
  const Value& fact = facts_.at(name);
  if (fact.is_list()) return std::nullopt;
  return constant(scalar_of(fact));
}

std::optional<NodeIds> ExpressionGraph::compile_all(const std::vector<Tree::Pointer>& nodes) {
  NodeIds all;
  for (const Tree::Pointer& node : nodes) {
    const auto compiled = compile(*node);
    if (!compiled) return std::nullopt;
    all.push_back(*compiled);
  }
  return all;
}

std::optional<NodeId> ExpressionGraph::compile_chain(const Tree& node) {
  const auto operands = compile_all(node.children);
  if (!operands) return std::nullopt;
  NodeId left = operands->front();
  for (const size_t i : indices(node.operators)) {
    const NodeId right = (*operands)[i + 1];
    // Texts can be joined, and no identifier stands for the result.
    if (nodes_[left].may_be_text && nodes_[right].may_be_text) return std::nullopt;
    left = add(operation(Kind::binary, {left, right}, int(node.operators[i])));
  }
  return left;
}

std::optional<NodeId> ExpressionGraph::compile_comparison(const Tree& node) {
  NodeIds pairs;
  for (const size_t i : indices(node.operators)) {
    const auto pair = compile_pair(node.operators[i], *node.children[i], *node.children[i + 1]);
    if (!pair) return std::nullopt;
    pairs.push_back(*pair);
  }
  return pairs.size() == 1 ? pairs.front() : add(operation(Kind::conjunction, std::move(pairs)));
}

std::optional<NodeId> ExpressionGraph::compile_pair(Operator op, const Tree& a, const Tree& b) {
  const auto left = compile(a);
  if (!left) return std::nullopt;
  if (op == Operator::in || op == Operator::not_in) {
    if (b.kind != TreeKind::list) return std::nullopt;
    auto operands = compile_all(b.children);
    if (!operands) return std::nullopt;
    operands->insert(operands->begin(), *left);
    const NodeId member = add(operation(Kind::member, std::move(*operands)));
    return op == Operator::in ? member : add(operation(Kind::logical_not, {member}));
  }
  const auto right = compile(b);
  if (!right) return std::nullopt;
  return add(operation(Kind::binary, {*left, *right}, int(op)));
}

std::optional<NodeId> ExpressionGraph::compile_call(const Tree& node) {
  using enum MathFunction;
  static const std::set<MathFunction> not_scalar{len, str, range, list, sum, any, all, powers};
  if (not_scalar.contains(node.function)) return std::nullopt;
  auto operands = compile_all(node.children);
  if (!operands) return std::nullopt;
  const bool text = any_of(*operands, [&](NodeId operand) { return nodes_[operand].may_be_text; });
  const bool extreme = node.function == min || node.function == max;
  // int('8') and float('8') read texts; min('ab') takes the text apart.
  if (extreme ? operands->size() == 1 : text && node.function != MathFunction::truth)
    return std::nullopt;
  Node made = operation(Kind::call, std::move(*operands), int(node.function));
  made.may_be_text = extreme && text;
  return add(std::move(made));
}

}  // namespace rooftune::space
