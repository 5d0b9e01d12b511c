// The value of an expression tree, with Python's rules for lists and texts; numbers are scalars.
#include "core/expression_evaluator.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/scalar.h"
#include "core/text.h"

namespace rooftune::core {
namespace {

using Node = ExpressionNode;

const char* operand_kind(const Value& value) {
  return value.is_number() ? "number" : value.is_text() ? "text" : "list";
}

/// How much a copy takes: elements of lists at all depths, and characters.
std::size_t extent(const Value& value) {
  if (value.is_text()) return 1 + value.text().size();
  std::size_t all = 1;
  if (value.is_list())
    for (const Value& element : value.list()) all += extent(element);
  return all;
}

}  // namespace

void ExpressionEvaluator::fail(const std::string& message, const Node& node) const {
  throw Error(message + place_in_expression(text_, node.column));
}

void ExpressionEvaluator::undefined(const std::string& message, const Node& node) const {
  throw UndefinedResult(message + place_in_expression(text_, node.column));
}

void ExpressionEvaluator::wrong_types(const std::string& what, const Value& a, const Value& b,
                                      const Node& node) const {
  fail(fmt::format("cannot apply \"{}\" to {} and {}", what, operand_kind(a), operand_kind(b)),
       node);
}

void ExpressionEvaluator::count_elements(std::size_t more, const Node& node) {
  constexpr std::size_t limit = 1'000'000;
  elements_ += more;
  if (elements_ > limit) fail(fmt::format("lists of more than {} elements", limit), node);
}

void ExpressionEvaluator::count_step(const Node& node) {
  constexpr std::size_t limit = 20'000'000;
  if (++steps_ > limit) fail(fmt::format("comprehension of more than {} steps", limit), node);
}

ValueList ExpressionEvaluator::values(const std::vector<Node::Pointer>& nodes) {
  ValueList all;
  for (const Node::Pointer& node : nodes) all.push_back(value(*node));
  return all;
}

Value ExpressionEvaluator::value(const Node& node) {
  if (!bound_.empty()) count_step(node);
  switch (node.kind) {
    case Node::Kind::constant:
      return node.constant;
    case Node::Kind::name:
      return named(node);
    case Node::Kind::list:
      count_elements(node.children.size(), node);
      return values(node.children);
    case Node::Kind::index:
      return element(node);
    case Node::Kind::negate:
    case Node::Kind::plus:
      return with_sign(node);
    case Node::Kind::logical_not:
      return !value(*node.children[0]).truth();
    case Node::Kind::chain:
      return chain(node);
    case Node::Kind::compare:
      return compare(node);
    case Node::Kind::conjunction:
    case Node::Kind::disjunction:
      return decided(node);
    case Node::Kind::conditional:
      return value(*node.children[value(*node.children[0]).truth() ? 1 : 2]);
    case Node::Kind::call:
      return call(node);
    case Node::Kind::comprehension: {
      ValueList made;
      generate(*node.children[0], made);
      return made;
    }
    case Node::Kind::clause:
      break;
  }
  fail("unknown operation", node);
}

void ExpressionEvaluator::generate(const Node& clause, ValueList& made) {
  Value source = value(*clause.children[1]);
  if (!source.is_list()) fail("a comprehension goes through a list", clause);
  const Node& body = *clause.children[0];
  for (const Value& element : source.list()) {
    bound_.emplace_back(clause.name, element);
    count_step(clause);
    const bool taken = std::all_of(clause.children.begin() + 2, clause.children.end(),
                                   [&](const auto& holds) { return value(*holds).truth(); });
    if (taken && body.kind == Node::Kind::clause) {
      generate(body, made);
    } else if (taken) {
      made.push_back(value(body));
      count_elements(extent(made.back()), body);
    }
    bound_.pop_back();
  }
}

Value ExpressionEvaluator::named(const Node& node) {
  for (auto at = bound_.rbegin(); at != bound_.rend(); ++at) {
    if (at->first != node.name) continue;
    if (!at->second.is_number()) count_elements(extent(at->second), node);
    return at->second;
  }
  std::optional<Value> found = lookup_ ? lookup_(node.name) : std::nullopt;
  if (!found) fail(fmt::format("unknown name \"{}\"", excerpt(node.name)), node);
  if (found->is_list()) count_elements(found->list().size(), node);
  return *std::move(found);
}

Value ExpressionEvaluator::with_sign(const Node& node) {
  const Value operand = value(*node.children[0]);
  if (!operand.is_number())
    fail("cannot put a sign before a " + std::string(operand_kind(operand)), node);
  const Scalar result =
      node.kind == Node::Kind::negate ? negated(scalar(operand)) : plus(scalar(operand));
  if (result.is_undefined()) undefined(to_text(result.reason()), node);
  return rooftune::value(result);
}

// The value is the deciding operand's, as in Python.
Value ExpressionEvaluator::decided(const Node& node) {
  const bool decides = node.kind == Node::Kind::disjunction;
  for (std::size_t i = 0; i + 1 < node.children.size(); ++i) {
    Value operand = value(*node.children[i]);
    if (operand.truth() == decides) return operand;
  }
  return value(*node.children.back());
}

Value ExpressionEvaluator::chain(const Node& node) {
  Value result = value(*node.children[0]);
  for (std::size_t i = 0; i < node.operators.size(); ++i)
    result = binary(node.operators[i], result, value(*node.children[i + 1]), node);
  return result;
}

Value ExpressionEvaluator::binary(Operator op, const Value& a, const Value& b, const Node& node) {
  if (a.is_number() && b.is_number()) {
    const Scalar result = apply(op, scalar(a), scalar(b));
    if (!result.is_undefined()) return rooftune::value(result);
    if (result.reason() == Scalar::Reason::type)
      fail(fmt::format("\"{}\" needs integers", to_text(op)), node);
    undefined(fmt::format("{} in \"{}\"", to_text(result.reason()), to_text(op)), node);
  }
  if (op == Operator::add && a.is_text() && b.is_text()) {
    count_elements(a.text().size() + b.text().size(), node);
    return a.text() + b.text();
  }
  if (op != Operator::add || !a.is_list() || !b.is_list()) wrong_types(to_text(op), a, b, node);
  count_elements(a.list().size() + b.list().size(), node);
  ValueList joined = a.list();
  joined.insert(joined.end(), b.list().begin(), b.list().end());
  return joined;
}

Value ExpressionEvaluator::compare(const Node& node) {
  Value left = value(*node.children[0]);
  for (std::size_t i = 0; i < node.operators.size(); ++i) {
    Value right = value(*node.children[i + 1]);
    if (!holds(node.operators[i], left, right, node)) return false;
    left = std::move(right);
  }
  return true;
}

bool ExpressionEvaluator::holds(Operator op, const Value& a, const Value& b,
                                const Node& node) const {
  switch (op) {
    case Operator::equal:
      return a == b;
    case Operator::not_equal:
      return !(a == b);
    case Operator::less:
      return before(a, b, false, node);
    case Operator::less_equal:
      return before(a, b, true, node);
    case Operator::greater:
      return before(b, a, false, node);
    case Operator::greater_equal:
      return before(b, a, true, node);
    default:
      break;
  }
  if (b.is_text() && a.is_text())
    return (b.text().find(a.text()) != std::string::npos) == (op == Operator::in);
  if (!b.is_list()) wrong_types(to_text(op), a, b, node);
  const bool found = std::find(b.list().begin(), b.list().end(), a) != b.list().end();
  return found == (op == Operator::in);
}

bool ExpressionEvaluator::before(const Value& a, const Value& b, bool or_equal,
                                 const Node& node) const {
  if (a.is_number() && b.is_number()) {
    const std::partial_ordering found = order(scalar(a), scalar(b));
    return or_equal ? found <= 0 : found < 0;
  }
  if (a.is_text() && b.is_text()) return or_equal ? a.text() <= b.text() : a.text() < b.text();
  if (!a.is_list() || !b.is_list()) wrong_types("<", a, b, node);
  const std::size_t common = std::min(a.list().size(), b.list().size());
  for (std::size_t i = 0; i < common; ++i)
    if (!(a.list()[i] == b.list()[i])) return before(a.list()[i], b.list()[i], or_equal, node);
  return or_equal ? a.list().size() <= b.list().size() : a.list().size() < b.list().size();
}

Value ExpressionEvaluator::element(const Node& node) {
  const Value sequence = value(*node.children[0]);
  const Value position = value(*node.children[1]);
  if (sequence.is_number()) fail("a number has no elements", node);
  if (!position.is_bool() && !position.is_integer()) fail("a position must be an integer", node);
  const auto size = static_cast<std::int64_t>(sequence.is_text() ? text_points(sequence.text())
                                                                 : sequence.list().size());
  const std::int64_t at = position.integer();
  if (at >= size || at < -size)
    undefined(fmt::format("position {} of {} elements", at, size), node);
  const auto index = static_cast<std::size_t>(at < 0 ? at + size : at);
  if (sequence.is_text()) return text_point(sequence.text(), index);
  return sequence.list()[index];
}

}  // namespace rooftune::core
