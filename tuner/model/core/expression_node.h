// The tree of a parsed expression: constants, names and operations, at most 500 deep.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/value.h"

namespace rooftune::core {

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
const char* to_text(Operator op);

enum class Function {
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
/// One row per function of the language.
struct FunctionRow {
  const char* name;
  Function function;
  std::size_t least, most;  ///< numbers of arguments
};
const std::vector<FunctionRow>& functions();

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
    call,           ///< `function` of the children
    comprehension,  ///< [body for name in list if ...]; its one child is the first clause
    clause,         ///< `name` takes the elements of children[1] where the further children hold;
                    ///< children[0] is the body, or the next clause
  };
  Kind kind = Kind::constant;
  std::size_t column = 1;  ///< 1-based place in the text
  int depth = 1;
  Value constant;
  std::string name;
  Function function = Function::min;
  std::vector<Operator> operators;
  std::vector<Pointer> children;
};

/// By recursive descent. Throws Error with the column of the fault.
ExpressionNode::Pointer parse_expression(const std::string& text);
/// " at column 7 of "a + )"": the text is cut around the column.
std::string place_in_expression(const std::string& text, std::size_t column);

}  // namespace rooftune::core
