// One small expression language for constraints, sizes, work and traffic: the Python-expression
// subset `and or not  < <= > >= == != in (chained)  | & ^  + - * / // % **  ( ) [ ] ,  x if c else
// y  f(x)  [x for x in y if c]`. It computes with Python's semantics (// and % floor, / is real, **
// keeps integers unless the exponent is negative, bool is an integer; integers are 64 bits,
// overflow is an Error), and nothing else.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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
  /// The same; an Error quotes the text and gets `where` as its place.
  Value evaluate(const Lookup& lookup, const fs::path& where) const;
  /// Free names as they first appear (functions excluded).
  const Texts& names() const { return names_; }
  const std::string& text() const { return text_; }
  bool empty() const { return !root_; }
  const std::shared_ptr<const ExpressionNode>& root() const { return root_; }

 private:
  std::shared_ptr<const ExpressionNode> root_;
  std::string text_;
  Texts names_;
};
/// Looks names up in a map, which must outlive the lookup.
template <class Map>
Expression::Lookup lookup_in(const Map& values) {
  return [&values](const std::string& name) -> std::optional<Value> {
    const auto* const found = value_at(values, name);
    return found ? std::optional<Value>(*found) : std::nullopt;
  };
}
/// The value of one part of the tree that `text` was parsed into.
Value evaluated(const ExpressionNode& part, const std::string& text,
                const Expression::Lookup& lookup);
// Functions: min max abs round int float bool len list str range sum any all ceil floor sqrt log2
// exp log sin cos pow; `powers(low, high)` = [low, 2 low, ..., <= high] plus high itself when it is
// no power; constant `pi`; True False (also true false); strings in single or double quotes; lists
// and tuples.

enum class Operator {
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  power,
  bit_or,
  bit_xor,
  bit_and,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  in,
  not_in
};
inline Words words(Operator) {
  static constexpr const char* all[] = {"+", "-", "*",  "/", "//", "%",  "**", "|",  "^",
                                        "&", "<", "<=", ">", ">=", "==", "!=", "in", "not in"};
  return all;
}

enum class MathFunction {
  min,
  max,
  abs,
  round,
  integer,
  real,
  truth,
  len,
  str,
  range,
  list,
  sum,
  any,
  all,
  ceil,
  floor,
  sqrt,
  log2,
  exp,
  log,
  sin,
  cos,
  pow,
  powers
};

struct ExpressionNode {
  using Pointer = std::shared_ptr<const ExpressionNode>;
  enum class Kind {
    constant,  ///< `constant`
    name,      ///< `name`
    list,      ///< children
    index,     ///< children: sequence, position
    negate,    ///< one child; also `plus` and `logical_not`
    plus,
    logical_not,
    chain,          ///< children[0] op[0] children[1] op[1] ..., from the left
    compare,        ///< as chain; each child is compared with the next, all must hold
    conjunction,    ///< and
    disjunction,    ///< or
    conditional,    ///< children: condition, value if true, value if false
    call,           ///< `function` called with the children
    comprehension,  ///< [body for name in list if ...]; its one child is the first clause
    clause,         ///< `name` takes the elements of children[1] where the further children hold;
                    ///< children[0] is the body, or the next clause
  };
  Kind kind = Kind::constant;
  size_t column = 1;  ///< 1-based place in the text
  int depth = 1;
  Value constant;
  std::string name;
  MathFunction function = MathFunction::min;
  std::vector<Operator> operators;
  std::vector<Pointer> children;
};

// The tokens.

struct Token {
  enum class Kind { number, text, name, symbol, end };
  Kind kind = Kind::end;
  size_t column = 1;
  std::string_view spelling;  ///< as written
  Value value;                ///< number and text
  bool lowest = false;        ///< the number 2^63, an integer only after a minus sign
};

class ExpressionLexer {
 public:
  explicit ExpressionLexer(const std::string& text) : text_(text) {}
  /// The next token; throws Error for characters and numbers outside the language.
  Token next();
  [[noreturn]] void fail(const std::string& message, size_t column,
                         const std::string& hint = {}) const;

 private:
  Token number();
  Token whole(size_t begin, int base);
  Token quoted();
  Token symbol();
  Token token(Token::Kind kind, size_t begin) const;

  const std::string& text_;
  size_t at_ = 0;
};

/// By recursive descent. Throws Error with the column of the fault.
ExpressionNode::Pointer parse_expression(const std::string& text);
/// " at column 7 of "a + )"": the text is cut around the column.
std::string place_in_expression(const std::string& text, size_t column);

}  // namespace rooftune::core
