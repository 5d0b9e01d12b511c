// One small expression language for constraints, sizes, work and traffic: the Python-expression
// subset `and or not  < <= > >= == != in (chained)  | & ^  + - * / // % **  ( ) [ ] ,  x if c else
// y  f(x)  [x for x in y if c]`. It computes with Python's semantics (// and % floor, / is real, **
// of integers, bool is an integer; integers are 64 bits, overflow is an Error), and nothing else.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/value.h"

namespace rooftune::core {

struct ExpressionNode;

/// An operation on numbers without a result for these values: division by zero, overflow, domain. A
/// wrong type or an unknown name is a plain Error: no value mends it.
class UndefinedResult : public Error {
 public:
  using Error::Error;
};

class Expression {
 public:
  /// Looks a name up; nullopt makes evaluation throw Error "unknown name".
  using Lookup = std::function<std::optional<Value>(const std::string&)>;

  Expression() = default;
  /// Parses; throws Error with column on malformed text, nesting beyond 200 or length beyond 100
  /// kB.
  static Expression parse(const std::string& text);
  /// Evaluates; throws UndefinedResult (division by zero, overflow) or Error (type, unknown name).
  Value evaluate(const Lookup& lookup) const;
  /// Free names in order of first appearance (functions excluded).
  const std::vector<std::string>& names() const { return names_; }
  const std::string& text() const { return text_; }
  bool empty() const { return !root_; }
  const std::shared_ptr<const ExpressionNode>& root() const { return root_; }

 private:
  std::shared_ptr<const ExpressionNode> root_;
  std::string text_;
  std::vector<std::string> names_;
};
/// The value of one part of the tree of `text`.
Value evaluated(const ExpressionNode& part, const std::string& text,
                const Expression::Lookup& lookup);
// Functions: min max abs round int float bool len list str range sum any all ceil floor sqrt log2
// exp log sin cos pow; `powers(low, high)` = [low, 2 low, ..., <= high] plus high itself when it is
// no power; constant `pi`; True False (also true false); strings in single or double quotes; lists
// and tuples.

}  // namespace rooftune::core
