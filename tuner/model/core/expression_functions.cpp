// The functions of the expression language on lists and texts; those on numbers are scalar.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/expression_evaluator.h"
#include "core/scalar.h"
#include "core/text.h"

namespace rooftune::core {
namespace {

using Node = ExpressionNode;

/// As Python's str() and, inside lists, repr().
std::string python_text(const Value& value, bool inside) {
  if (value.is_bool()) return value.truth() ? "True" : "False";
  if (value.is_text() && inside) return "'" + value.text() + "'";
  if (!value.is_list()) return to_text(value);
  std::string text;
  for (const Value& element : value.list())
    text += (text.empty() ? "" : ", ") + python_text(element, true);
  return "[" + text + "]";
}

bool all_whole(const ValueList& values) {
  return std::all_of(values.begin(), values.end(),
                     [](const Value& v) { return v.is_bool() || v.is_integer(); });
}

}  // namespace

Value ExpressionEvaluator::call(const Node& node) {
  const ValueList arguments = values(node.children);
  const Value& first = arguments.front();
  switch (node.function) {
    case Function::min:
    case Function::max:
      return extreme(node, arguments);
    case Function::truth:
      return first.truth();
    case Function::str:
      return python_text(first, false);
    case Function::len:
      return length(node, first);
    case Function::range:
      return range(node, arguments);
    case Function::list:
      if (!first.is_list()) fail("list() needs a list", node);
      return first;
    case Function::powers:
      return powers(node, arguments);
    case Function::sum:
      return sum(node, first);
    case Function::any:
    case Function::all:
      return truths(node, first);
    case Function::integer:
    case Function::real:
      if (first.is_text()) return number_from_text(node, first.text());
      break;
    default:
      break;
  }
  return numeric(node, arguments);
}

Value ExpressionEvaluator::numeric(const Node& node, const ValueList& arguments) const {
  std::vector<Scalar> scalars;
  for (const Value& argument : arguments) {
    if (!argument.is_number()) fail(node.name + "() needs numbers", node);
    scalars.push_back(scalar(argument));
  }
  const Scalar result = rooftune::call(node.function, scalars);
  if (result.is_undefined() && result.reason() != Scalar::Reason::type)
    undefined(fmt::format("{} in {}()", to_text(result.reason()), node.name), node);
  if (result.is_undefined()) fail(node.name + "() does not take these types", node);
  return rooftune::value(result);
}

Value ExpressionEvaluator::extreme(const Node& node, const ValueList& arguments) const {
  if (arguments.size() == 1 && !arguments[0].is_list()) fail(node.name + "() needs a list", node);
  const ValueList& all = arguments.size() == 1 ? arguments[0].list() : arguments;
  if (all.empty()) undefined(node.name + "() of an empty list", node);
  const Value* best = &all.front();
  for (const Value& candidate : all) {
    const bool wins = node.function == Function::min ? before(candidate, *best, false, node)
                                                     : before(*best, candidate, false, node);
    if (wins) best = &candidate;
  }
  return *best;
}

Value ExpressionEvaluator::range(const Node& node, const ValueList& arguments) {
  if (!all_whole(arguments)) fail("range() needs integers", node);
  const std::int64_t start = arguments.size() > 1 ? arguments[0].integer() : 0;
  const std::int64_t stop = arguments[arguments.size() > 1 ? 1 : 0].integer();
  const std::int64_t step = arguments.size() > 2 ? arguments[2].integer() : 1;
  if (step == 0) undefined("range() with step 0", node);
  ValueList list;
  for (std::int64_t at = start; step > 0 ? at < stop : at > stop;) {
    count_elements(1, node);
    list.emplace_back(at);
    if (__builtin_add_overflow(at, step, &at)) break;
  }
  return list;
}

Value ExpressionEvaluator::powers(const Node& node, const ValueList& arguments) {
  if (!all_whole(arguments)) fail("powers() needs integers", node);
  const std::int64_t low = arguments[0].integer(), high = arguments[1].integer();
  if (low < 1 || high < low)
    undefined(fmt::format("powers({}, {}) needs 1 <= low <= high", low, high), node);
  ValueList list;
  std::int64_t last = low;
  for (;; last *= 2) {
    list.emplace_back(last);
    if (last > high / 2) break;
  }
  if (last != high) list.emplace_back(high);
  count_elements(list.size(), node);
  return list;
}

Value ExpressionEvaluator::length(const Node& node, const Value& sequence) const {
  if (sequence.is_number()) fail("len() needs a list or a text", node);
  return static_cast<std::int64_t>(sequence.is_text() ? text_points(sequence.text())
                                                      : sequence.list().size());
}

Value ExpressionEvaluator::truths(const Node& node, const Value& list) const {
  if (!list.is_list()) fail(node.name + "() needs a list", node);
  const auto truth = [](const Value& v) { return v.truth(); };
  const ValueList& all = list.list();
  return node.function == Function::any ? std::any_of(all.begin(), all.end(), truth)
                                        : std::all_of(all.begin(), all.end(), truth);
}

Value ExpressionEvaluator::sum(const Node& node, const Value& list) {
  if (!list.is_list()) fail("sum() needs a list", node);
  Value total = 0;
  for (const Value& element : list.list()) total = binary(Operator::add, total, element, node);
  return total;
}

Value ExpressionEvaluator::number_from_text(const Node& node, const std::string& text) const {
  const std::size_t begin = text.find_first_not_of(" \t\n"),
                    end = text.find_last_not_of(" \t\n") + 1;
  const std::size_t plus_sign = begin < text.size() && text[begin] == '+' ? 1 : 0;
  if (begin != std::string::npos) {
    const char* first = text.data() + begin + plus_sign;
    const char* last = text.data() + end;
    std::int64_t integer = 0;
    double real = 0;
    const auto read = node.function == Function::integer ? std::from_chars(first, last, integer)
                                                         : std::from_chars(first, last, real);
    const bool second_sign = plus_sign == 1 && first < last && *first == '-';
    if (read.ptr == last && read.ec == std::errc{} && !second_sign)
      return node.function == Function::integer ? Value(integer) : Value(real);
  }
  undefined(fmt::format("{}() cannot read \"{}\"", node.name, excerpt(text)), node);
}

}  // namespace rooftune::core
