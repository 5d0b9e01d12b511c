// Expressions: the table of functions, parse and evaluate.
#include "core/expression.h"

#include <algorithm>

#include "core/error.h"
#include "core/expression_node.h"

namespace rooftune::core {
namespace {

constexpr std::size_t length_limit = 100'000;
constexpr std::size_t most_arguments = 1000;

/// `bound` are the variables of the comprehensions around the node.
void collect_names(const ExpressionNode& node, std::vector<std::string>& names,
                   std::vector<std::string>& bound) {
  const auto has = [&node](const std::vector<std::string>& all) {
    return std::find(all.begin(), all.end(), node.name) != all.end();
  };
  if (node.kind == ExpressionNode::Kind::name && !has(names) && !has(bound))
    names.push_back(node.name);
  if (node.kind != ExpressionNode::Kind::clause) {
    for (const auto& child : node.children) collect_names(*child, names, bound);
    return;
  }
  // The list behind a variable cannot depend on it.
  collect_names(*node.children[1], names, bound);
  bound.push_back(node.name);
  for (std::size_t i = 0; i < node.children.size(); ++i)
    if (i != 1) collect_names(*node.children[i], names, bound);
  bound.pop_back();
}

}  // namespace

const std::vector<FunctionRow>& functions() {
  static const std::vector<FunctionRow> rows{
      {"min", Function::min, 1, most_arguments},
      {"max", Function::max, 1, most_arguments},
      {"abs", Function::abs, 1, 1},
      {"round", Function::round, 1, 2},
      {"int", Function::integer, 1, 1},
      {"float", Function::real, 1, 1},
      {"bool", Function::truth, 1, 1},
      {"len", Function::len, 1, 1},
      {"str", Function::str, 1, 1},
      {"range", Function::range, 1, 3},
      {"list", Function::list, 1, 1},
      {"sum", Function::sum, 1, 1},
      {"any", Function::any, 1, 1},
      {"all", Function::all, 1, 1},
      {"ceil", Function::ceil, 1, 1},
      {"floor", Function::floor, 1, 1},
      {"sqrt", Function::sqrt, 1, 1},
      {"log2", Function::log2, 1, 1},
      {"exp", Function::exp, 1, 1},
      {"log", Function::log, 1, 2},
      {"sin", Function::sin, 1, 1},
      {"cos", Function::cos, 1, 1},
      {"pow", Function::pow, 2, 2},
      {"powers", Function::powers, 2, 2},
  };
  return rows;
}

const char* to_text(Operator op) {
  static constexpr const char* symbols[] = {"+", "-", "*",  "/", "//", "%",  "**", "|",  "^",
                                            "&", "<", "<=", ">", ">=", "==", "!=", "in", "not in"};
  return symbols[static_cast<std::size_t>(op)];
}

Expression Expression::parse(const std::string& text) {
  if (text.size() > length_limit)
    throw Error("expression of " + std::to_string(text.size()) + " bytes; at most " +
                std::to_string(length_limit) + " are allowed");
  Expression expression;
  expression.text_ = text;
  expression.root_ = parse_expression(text);
  std::vector<std::string> bound;
  collect_names(*expression.root_, expression.names_, bound);
  return expression;
}

Value Expression::evaluate(const Lookup& lookup) const {
  if (!root_) throw Error("empty expression");
  return evaluated(*root_, text_, lookup);
}

}  // namespace rooftune::core
