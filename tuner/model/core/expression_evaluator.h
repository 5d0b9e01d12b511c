// The value of an expression tree. The look-up is asked only for names that the value depends on.
#pragma once
#include <string>

#include "core/expression.h"
#include "core/expression_node.h"

namespace rooftune::core {

class ExpressionEvaluator {
 public:
  ExpressionEvaluator(const std::string& text, const Expression::Lookup& lookup)
      : text_(text), lookup_(lookup) {}
  Value value(const ExpressionNode& node);

 private:
  Value named(const ExpressionNode& node);
  Value with_sign(const ExpressionNode& node);
  Value decided(const ExpressionNode& node);
  Value chain(const ExpressionNode& node);
  Value binary(Operator op, const Value& a, const Value& b, const ExpressionNode& node);
  Value compare(const ExpressionNode& node);
  bool holds(Operator op, const Value& a, const Value& b, const ExpressionNode& node) const;
  bool before(const Value& a, const Value& b, bool or_equal, const ExpressionNode& node) const;
  Value element(const ExpressionNode& node);
  /// Appends what the clause's body is for each element that it takes.
  void generate(const ExpressionNode& clause, ValueList& made);
  Value call(const ExpressionNode& node);
  Value extreme(const ExpressionNode& node, const ValueList& arguments) const;
  Value range(const ExpressionNode& node, const ValueList& arguments);
  Value powers(const ExpressionNode& node, const ValueList& arguments);
  Value length(const ExpressionNode& node, const Value& sequence) const;
  Value truths(const ExpressionNode& node, const Value& list) const;
  Value sum(const ExpressionNode& node, const Value& list);
  Value number_from_text(const ExpressionNode& node, const std::string& text) const;
  Value numeric(const ExpressionNode& node, const ValueList& arguments) const;
  ValueList values(const std::vector<ExpressionNode::Pointer>& nodes);
  /// Bounds what one evaluation may build, so that range() cannot exhaust the memory.
  void count_elements(std::size_t more, const ExpressionNode& node);
  /// Bounds how long a comprehension may take, whose body is evaluated again and again.
  void count_step(const ExpressionNode& node);
  [[noreturn]] void fail(const std::string& message, const ExpressionNode& node) const;
  /// As fail(), for what other values might mend.
  [[noreturn]] void undefined(const std::string& message, const ExpressionNode& node) const;
  [[noreturn]] void wrong_types(const std::string& what, const Value& a, const Value& b,
                                const ExpressionNode& node) const;

  const std::string& text_;
  const Expression::Lookup& lookup_;
  std::size_t elements_ = 0, steps_ = 0;
  std::vector<std::pair<std::string_view, Value>> bound_;  ///< variables of comprehensions
};

}  // namespace rooftune::core
