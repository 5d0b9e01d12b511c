// The value of an expression tree. Looks up only names the value depends on.
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
  /// Appends the value of the clause's body for each element taken.
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
  /// Bounds the elements of one evaluation, so range() cannot exhaust the memory.
  void count_elements(std::size_t more, const ExpressionNode& node);
  /// Bounds the time of a comprehension, a repeated evaluation of its body.
  void count_step(const ExpressionNode& node);
  [[noreturn]] void fail(const std::string& message, const ExpressionNode& node) const;
  /// As fail(), for faults other values might mend.
  [[noreturn]] void undefined(const std::string& message, const ExpressionNode& node) const;
  [[noreturn]] void wrong_types(const std::string& what, const Value& a, const Value& b,
                                const ExpressionNode& node) const;

  const std::string& text_;
  const Expression::Lookup& lookup_;
  std::size_t elements_ = 0, steps_ = 0;
  std::vector<std::pair<std::string_view, Value>> bound_;  ///< variables of comprehensions
};

}  // namespace rooftune::core
