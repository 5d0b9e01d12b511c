// Evaluates an expression tree, with Python's rules for lists and texts; numbers are scalars. Looks
// up only names the value depends on.
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/expression.h"
#include "core/list.h"
#include "core/number.h"
#include "core/scalar.h"
#include "core/text.h"

namespace rooftune::core {
namespace {

using Node = ExpressionNode;
using Kind = ExpressionNode::Kind;

const char* operand_kind(const Value& value) {
  return value.is_number() ? "number" : value.is_text() ? "text" : "list";
}

/// How much a copy takes: list elements at all depths, and characters.
size_t extent(const Value& value) {
  if (value.is_text()) return 1 + value.text().size();
  size_t all = 1;
  if (value.is_list())
    for (const Value& element : value.list()) all += extent(element);
  return all;
}

/// As Python's str() and, inside lists, repr().
std::string python_text(const Value& value, bool inside) {
  if (value.is_bool()) return value.truth() ? "True" : "False";
  if (value.is_text() && inside) return "'" + value.text() + "'";
  if (!value.is_list()) return to_text(value);
  std::string text;
  for (const Value& element : value.list()) join(text, python_text(element, true));
  return "[" + text + "]";
}

bool all_whole(const ValueList& values) {
  return all_of(values, [](const Value& v) { return v.is_bool() || v.is_integer(); });
}

class Evaluator {
 public:
  Evaluator(const std::string& text, const Expression::Lookup& lookup)
      : text_(text), lookup_(lookup) {}

  Value value(const Node& node) {
    if (!bound_.empty()) count_step(node);
    switch (node.kind) {
      case Kind::constant:
        return node.constant;
      case Kind::name:
        return named(node);
      case Kind::list:
        count_elements(node.children.size(), node);
        return values(node.children);
      case Kind::index:
        return element(node);
      case Kind::negate:
      case Kind::plus:
        return with_sign(node);
      case Kind::logical_not:
        return !value(*node.children[0]).truth();
      case Kind::chain:
        return chain(node);
      case Kind::compare:
        return compare(node);
      case Kind::conjunction:
      case Kind::disjunction:
        return decided(node);
      case Kind::conditional:
        return value(*node.children[value(*node.children[0]).truth() ? 1 : 2]);
      case Kind::call:
        return call(node);
      case Kind::comprehension: {
        ValueList made;
        generate(*node.children[0], made);
        return made;
      }
      case Kind::clause:
        break;
    }
    fail("unknown operation", node);
  }

 private:
  [[noreturn]] void fail(const std::string& message, const Node& node) const {
    throw Error(message + place_in_expression(text_, node.column));
  }

  /// As fail(), for faults other values might mend.
  [[noreturn]] void undefined(const std::string& message, const Node& node) const {
    throw UndefinedResult(message + place_in_expression(text_, node.column));
  }

  [[noreturn]] void wrong_types(const std::string& what, const Value& a, const Value& b,
                                const Node& node) const {
    fail(fmt::format("cannot apply \"{}\" to {} and {}", what, operand_kind(a), operand_kind(b)),
         node);
  }

  /// Bounds the elements in one evaluation, so range() cannot exhaust the memory.
  void count_elements(size_t more, const Node& node) {
    constexpr size_t limit = 1'000'000;
    elements_ += more;
    if (elements_ > limit) fail(fmt::format("lists of more than {} elements", limit), node);
  }

  /// Bounds a comprehension's time, since it evaluates its body again and again.
  void count_step(const Node& node) {
    constexpr size_t limit = 20'000'000;
    if (++steps_ > limit) fail(fmt::format("comprehension of more than {} steps", limit), node);
  }

  ValueList values(const std::vector<Node::Pointer>& nodes) {
    ValueList all;
    for (const Node::Pointer& node : nodes) all.push_back(value(*node));
    return all;
  }

  /// Appends what the clause's body gives for each element taken.
  void generate(const Node& clause, ValueList& made) {
    Value source = value(*clause.children[1]);
    if (!source.is_list()) fail("a comprehension goes through a list", clause);
    const Node& body = *clause.children[0];
    for (const Value& element : source.list()) {
      bound_.emplace_back(clause.name, element);
      count_step(clause);
      const bool taken = std::all_of(clause.children.begin() + 2, clause.children.end(),
                                     [&](const auto& holds) { return value(*holds).truth(); });
      if (taken && body.kind == Kind::clause) {
        generate(body, made);
      } else if (taken) {
        made.push_back(value(body));
        count_elements(extent(made.back()), body);
      }
      bound_.pop_back();
    }
  }

  Value named(const Node& node) {
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

  Value with_sign(const Node& node) {
    const Value operand = value(*node.children[0]);
    if (!operand.is_number())
      fail("cannot put a sign before a " + std::string(operand_kind(operand)), node);
    const Scalar result =
        node.kind == Kind::negate ? negated(as_scalar(operand)) : plus(as_scalar(operand));
    if (result.is_undefined()) undefined(to_text(result.reason()), node);
    return rooftune::value(result);
  }

  // The value is the deciding operand's, as in Python.
  Value decided(const Node& node) {
    const bool decides = node.kind == Kind::disjunction;
    for (size_t i = 0; i + 1 < node.children.size(); ++i) {
      Value operand = value(*node.children[i]);
      if (operand.truth() == decides) return operand;
    }
    return value(*node.children.back());
  }

  Value chain(const Node& node) {
    Value result = value(*node.children[0]);
    for (const size_t i : indices(node.operators))
      result = binary(node.operators[i], result, value(*node.children[i + 1]), node);
    return result;
  }

  Value binary(Operator op, const Value& a, const Value& b, const Node& node) {
    if (a.is_number() && b.is_number()) {
      const Scalar result = apply(op, as_scalar(a), as_scalar(b));
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
    append(joined, b.list());
    return joined;
  }

  Value compare(const Node& node) {
    Value left = value(*node.children[0]);
    for (const size_t i : indices(node.operators)) {
      Value right = value(*node.children[i + 1]);
      if (!holds(node.operators[i], left, right, node)) return false;
      left = std::move(right);
    }
    return true;
  }

  bool holds(Operator op, const Value& a, const Value& b, const Node& node) const {
    using enum Operator;
    if (op == equal || op == not_equal) return (a == b) == (op == equal);
    if (op == less || op == less_equal) return before(a, b, op == less_equal, node);
    if (op == greater || op == greater_equal) return before(b, a, op == greater_equal, node);
    if (b.is_text() && a.is_text()) return contains(b.text(), a.text()) == (op == in);
    if (!b.is_list()) wrong_types(to_text(op), a, b, node);
    const bool found = contains(b.list(), a);
    return found == (op == in);
  }

  bool before(const Value& a, const Value& b, bool or_equal, const Node& node) const {
    if (a.is_number() && b.is_number()) {
      const std::partial_ordering found = order(as_scalar(a), as_scalar(b));
      return or_equal ? found <= 0 : found < 0;
    }
    if (a.is_text() && b.is_text()) return or_equal ? a.text() <= b.text() : a.text() < b.text();
    if (!a.is_list() || !b.is_list()) wrong_types("<", a, b, node);
    const size_t common = std::min(a.list().size(), b.list().size());
    for (size_t i = 0; i < common; ++i)
      if (a.list()[i] != b.list()[i]) return before(a.list()[i], b.list()[i], or_equal, node);
    return or_equal ? a.list().size() <= b.list().size() : a.list().size() < b.list().size();
  }

  Value element(const Node& node) {
    const Value sequence = value(*node.children[0]);
    const Value position = value(*node.children[1]);
    if (sequence.is_number()) fail("a number has no elements", node);
    if (!position.is_bool() && !position.is_integer()) fail("a position must be an integer", node);
    const int64_t size = length(node, sequence).integer();
    const int64_t at = position.integer();
    if (at >= size || at < -size)
      undefined(fmt::format("position {} of {} elements", at, size), node);
    const auto index = size_t(at < 0 ? at + size : at);
    if (sequence.is_text()) return text_point(sequence.text(), index);
    return sequence.list()[index];
  }

  Value call(const Node& node) {
    const ValueList arguments = values(node.children);
    const Value& first = arguments.front();
    switch (node.function) {
      case MathFunction::min:
      case MathFunction::max:
        return extreme(node, arguments);
      case MathFunction::truth:
        return first.truth();
      case MathFunction::str:
        return python_text(first, false);
      case MathFunction::len:
        return length(node, first);
      case MathFunction::range:
        return range(node, arguments);
      case MathFunction::list:
        if (!first.is_list()) fail("list() needs a list", node);
        return first;
      case MathFunction::powers:
        return powers(node, arguments);
      case MathFunction::sum:
        return sum(node, first);
      case MathFunction::any:
      case MathFunction::all:
        return truths(node, first);
      case MathFunction::integer:
      case MathFunction::real:
        if (first.is_text()) return number_from_text(node, first.text());
        break;
      default:
        break;
    }
    return numeric(node, arguments);
  }

  Value numeric(const Node& node, const ValueList& arguments) const {
    std::vector<Scalar> scalars;
    for (const Value& argument : arguments) {
      if (!argument.is_number()) fail(node.name + "() needs numbers", node);
      scalars.push_back(as_scalar(argument));
    }
    const Scalar result = rooftune::call(node.function, scalars);
    if (result.is_undefined() && result.reason() != Scalar::Reason::type)
      undefined(fmt::format("{} in {}()", to_text(result.reason()), node.name), node);
    if (result.is_undefined()) fail(node.name + "() does not take these types", node);
    return rooftune::value(result);
  }

  Value extreme(const Node& node, const ValueList& arguments) const {
    if (arguments.size() == 1 && !arguments[0].is_list()) fail(node.name + "() needs a list", node);
    const ValueList& all = arguments.size() == 1 ? arguments[0].list() : arguments;
    if (all.empty()) undefined(node.name + "() of an empty list", node);
    const Value* best = &all.front();
    for (const Value& candidate : all) {
      const bool wins = node.function == MathFunction::min ? before(candidate, *best, false, node)
                                                           : before(*best, candidate, false, node);
      if (wins) best = &candidate;
    }
    return *best;
  }

  Value range(const Node& node, const ValueList& arguments) {
    if (!all_whole(arguments)) fail("range() needs integers", node);
    const int64_t start = arguments.size() > 1 ? arguments[0].integer() : 0;
    const int64_t stop = arguments[arguments.size() > 1 ? 1 : 0].integer();
    const int64_t step = arguments.size() > 2 ? arguments[2].integer() : 1;
    if (step == 0) undefined("range() with step 0", node);
    ValueList list;
    for (int64_t at = start; step > 0 ? at < stop : at > stop;) {
      count_elements(1, node);
      list.emplace_back(at);
      if (__builtin_add_overflow(at, step, &at)) break;
    }
    return list;
  }

  Value powers(const Node& node, const ValueList& arguments) {
    if (!all_whole(arguments)) fail("powers() needs integers", node);
    const int64_t low = arguments[0].integer(), high = arguments[1].integer();
    if (low < 1 || high < low)
      undefined(fmt::format("powers({}, {}) needs 1 <= low <= high", low, high), node);
    ValueList list;
    int64_t last = low;
    for (;; last *= 2) {
      list.emplace_back(last);
      if (last > high / 2) break;
    }
    if (last != high) list.emplace_back(high);
    count_elements(list.size(), node);
    return list;
  }

  Value length(const Node& node, const Value& sequence) const {
    if (sequence.is_number()) fail("len() needs a list or a text", node);
    return int64_t(sequence.is_text() ? text_points(sequence.text()) : sequence.list().size());
  }

  Value truths(const Node& node, const Value& list) const {
    if (!list.is_list()) fail(node.name + "() needs a list", node);
    const auto truth = [](const Value& v) { return v.truth(); };
    const ValueList& all = list.list();
    return node.function == MathFunction::any ? any_of(all, truth) : all_of(all, truth);
  }

  Value sum(const Node& node, const Value& list) {
    if (!list.is_list()) fail("sum() needs a list", node);
    Value total = 0;
    for (const Value& element : list.list()) total = binary(Operator::add, total, element, node);
    return total;
  }

  Value number_from_text(const Node& node, const std::string& text) const {
    std::string_view digits = trimmed(text);
    if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
    const bool whole = node.function == MathFunction::integer;
    if (const auto integer = whole ? number_in<int64_t>(digits) : std::nullopt) return *integer;
    if (const auto real = whole ? std::nullopt : number_in<double>(digits)) return *real;
    undefined(fmt::format("{}() cannot read \"{}\"", node.name, excerpt(text)), node);
  }

  const std::string& text_;
  const Expression::Lookup& lookup_;
  size_t elements_ = 0, steps_ = 0;
  std::vector<std::pair<std::string_view, Value>> bound_;  ///< variables of comprehensions
};

}  // namespace

Value evaluated(const ExpressionNode& node, const std::string& text,
                const Expression::Lookup& lookup) {
  return Evaluator(text, lookup).value(node);
}

}  // namespace rooftune::core
