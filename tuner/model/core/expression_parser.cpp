// Text to expression tree with Python's precedence: if-else < or < and < not < comparisons < | < ^
// < & < + - < * / // % < unary + - < ** < x[i] f(x).
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "core/error.h"
#include "core/expression.h"
#include "core/list.h"

namespace rooftune::core {
namespace {

using Node = ExpressionNode;
using Kind = ExpressionNode::Kind;
using Pointer = ExpressionNode::Pointer;
constexpr int depth_limit = 200;

/// How strongly an operator up to `bit_and` binds; a power is read elsewhere.
constexpr int levels[] = {3, 3, 4, 4, 4, 4, -1, 0, 1, 2};

bool is_keyword(std::string_view word) {
  return is_among(word, "and or not in if else is lambda for");
}

/// A function in the language, and how many arguments it takes.
struct FunctionRow {
  std::string name;
  size_t least = 0, most = 0;
};
/// Ordered as MathFunction.
const std::vector<FunctionRow>& functions() {
  static const std::vector<FunctionRow> rows = [] {
    std::istringstream table(
        "min 1 1000 max 1 1000 abs 1 1 round 1 1 int 1 1 float 1 1 bool 1 1 len 1 1 str 1 1 "
        "range 1 3 list 1 1 sum 1 1 any 1 1 all 1 1 ceil 1 1 floor 1 1 sqrt 1 1 log2 1 1 exp 1 1 "
        "log 1 2 sin 1 1 cos 1 1 pow 2 2 powers 2 2");
    std::vector<FunctionRow> all;
    for (FunctionRow row; table >> row.name >> row.least >> row.most;) all.push_back(row);
    return all;
  }();
  return rows;
}

class Parser {
 public:
  explicit Parser(const std::string& text) : lexer_(text) { advance(); }

  Pointer whole() {
    if (token_.kind == Token::Kind::end) lexer_.fail("empty expression", token_.column);
    Pointer root = conditional();
    if (token_.kind != Token::Kind::end) unexpected("an operator");
    return root;
  }

 private:
  /// Counts how deep the descent is, so no text can exhaust the stack.
  class Level {
   public:
    explicit Level(Parser& parser) : depth_(parser.depth_) {
      if (++depth_ > depth_limit) parser.too_deep(parser.token_.column);
    }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() { --depth_; }

   private:
    int& depth_;
  };

  [[noreturn]] void too_deep(size_t column) const {
    lexer_.fail(fmt::format("nested deeper than {} levels", depth_limit), column);
  }
  [[noreturn]] void unexpected(const char* expected) const {
    const std::string found = token_.kind == Token::Kind::end
                                  ? "the end"
                                  : fmt::format("\"{}\"", excerpt(token_.spelling));
    lexer_.fail(fmt::format("expected {}, found {}", expected, found), token_.column);
  }

  void advance() { token_ = lexer_.next(); }
  bool at(std::string_view word) const {
    return (token_.kind == Token::Kind::symbol || token_.kind == Token::Kind::name) &&
           token_.spelling == word;
  }
  bool accept(std::string_view word) {
    if (!at(word)) return false;
    advance();
    return true;
  }
  void expect(std::string_view word, const char* what) {
    if (!accept(word)) unexpected(what);
  }

  Pointer node(Node::Kind kind, size_t column, std::vector<Pointer> children,
               std::vector<Operator> operators = {}) const {
    auto made = std::make_shared<Node>();
    made->kind = kind;
    made->column = column;
    for (const Pointer& child : children) made->depth = std::max(made->depth, child->depth + 1);
    if (made->depth > depth_limit) too_deep(column);
    made->children = std::move(children);
    made->operators = std::move(operators);
    return made;
  }
  Pointer constant(Value value, size_t column) const {
    auto made = std::make_shared<Node>();
    made->column = column;
    made->constant = std::move(value);
    return made;
  }

  Pointer conditional() {
    const Level level(*this);
    Pointer chosen = disjunction();
    const size_t column = token_.column;
    if (!accept("if")) return chosen;
    Pointer condition = disjunction();
    expect("else", "\"else\"");
    Pointer otherwise = conditional();
    return node(Kind::conditional, column,
                {std::move(condition), std::move(chosen), std::move(otherwise)});
  }
  Pointer disjunction() { return joined("or", Kind::disjunction, &Parser::conjunction); }
  Pointer conjunction() { return joined("and", Kind::conjunction, &Parser::negation); }
  Pointer joined(std::string_view word, Node::Kind kind, Pointer (Parser::*operand)()) {
    const size_t column = token_.column;
    std::vector<Pointer> all{(this->*operand)()};
    while (accept(word)) all.push_back((this->*operand)());
    return all.size() == 1 ? all.front() : node(kind, column, std::move(all));
  }
  Pointer negation() {
    const size_t column = token_.column;
    if (!at("not")) return comparison();
    const Level level(*this);
    advance();
    return node(Kind::logical_not, column, {negation()});
  }

  std::optional<Operator> comparison_operator() {
    if (const auto op = operator_in(Operator::less, Operator::not_equal)) {
      advance();
      return op;
    }
    if (accept("in")) return Operator::in;
    if (!at("not")) return std::nullopt;
    advance();
    expect("in", "\"in\" after \"not\"");
    return Operator::not_in;
  }
  Pointer comparison() {
    std::vector<Pointer> operands{binary(0)};
    std::vector<Operator> operators;
    const size_t column = token_.column;
    while (const auto op = comparison_operator()) {
      operators.push_back(*op);
      operands.push_back(binary(0));
    }
    if (operators.empty()) return operands.front();
    return node(Kind::compare, column, std::move(operands), std::move(operators));
  }

  /// The operator that the symbol at hand spells, if it lies between `first` and `last` in the
  /// enum.
  std::optional<Operator> operator_in(Operator first, Operator last) const {
    if (token_.kind != Token::Kind::symbol) return std::nullopt;
    const auto index = index_of(words(first), std::string(token_.spelling));
    const auto op = Operator(index.value_or(0));
    return index && first <= op && op <= last ? std::optional(op) : std::nullopt;
  }
  std::optional<Operator> binary_operator() const {
    return operator_in(Operator::add, Operator::bit_and);
  }
  static int level(Operator op) { return levels[size_t(op)]; }
  /// Operators from level `least` up. Equal levels become one flat chain: a long sum is not a deep
  /// tree.
  Pointer binary(int least) {
    Pointer left = unary();
    for (auto op = binary_operator(); op && level(*op) >= least; op = binary_operator()) {
      const int here = level(*op);
      const size_t column = token_.column;
      std::vector<Pointer> operands{std::move(left)};
      std::vector<Operator> operators;
      for (; op && level(*op) == here; op = binary_operator()) {
        operators.push_back(*op);
        advance();
        operands.push_back(binary(here + 1));
      }
      left = node(Kind::chain, column, std::move(operands), std::move(operators));
    }
    return left;
  }

  Pointer unary() {
    const size_t column = token_.column;
    const bool minus = at("-");
    if (!minus && !at("+")) return power();
    const Level level(*this);
    advance();
    if (minus && token_.lowest) {
      advance();
      return constant(INT64_MIN, column);
    }
    return node(minus ? Kind::negate : Kind::plus, column, {unary()});
  }
  Pointer power() {
    Pointer base = postfix();
    const size_t column = token_.column;
    if (!accept("**")) return base;
    // Powers group to the right: 2**3**2 == 2**9, and 2**-1 has a sign in its exponent.
    const Level level(*this);
    Pointer exponent = unary();
    return node(Kind::chain, column, {std::move(base), std::move(exponent)}, {Operator::power});
  }
  Pointer postfix() {
    Pointer sequence = atom();
    for (size_t column = token_.column; accept("["); column = token_.column) {
      Pointer position = conditional();
      expect("]", "\"]\"");
      sequence = node(Kind::index, column, {std::move(sequence), std::move(position)});
    }
    return sequence;
  }

  Pointer atom() {
    const size_t column = token_.column;
    if (token_.kind == Token::Kind::number || token_.kind == Token::Kind::text) {
      if (token_.lowest) lexer_.fail("integer out of range (64 bits)", column);
      Pointer made = constant(token_.value, column);
      advance();
      return made;
    }
    if (token_.kind == Token::Kind::name) return word();
    if (accept("[")) return bracketed(column);
    if (!accept("(")) unexpected("a value");
    return parenthesised(column);
  }
  Pointer bracketed(size_t column) {
    if (accept("]")) return node(Kind::list, column, {});
    std::vector<Pointer> all{conditional()};
    if (at("for")) return comprehension(std::move(all.front()), "]");
    return node(Kind::list, column, elements("]", std::move(all)));
  }
  Pointer parenthesised(size_t column) {
    if (accept(")")) return node(Kind::list, column, {});
    Pointer first = conditional();
    if (accept(")")) return first;
    if (!at(",")) unexpected("\")\"");
    return node(Kind::list, column, elements(")", {std::move(first)}));
  }
  /// Reads elements behind those in `all`, up to and including `closing`; a comma may follow the
  /// last.
  std::vector<Pointer> elements(std::string_view closing, std::vector<Pointer> all) {
    while (!accept(closing)) {
      if (!all.empty()) {
        expect(",", closing == "]" ? "\",\" or \"]\"" : "\",\" or \")\"");
        if (accept(closing)) break;
      }
      all.push_back(conditional());
    }
    return all;
  }
  /// Reads [body for name in list if condition for ...] from behind its body.
  Pointer comprehension(Pointer body, std::string_view closing) {
    const size_t column = token_.column;
    Pointer made = node(Kind::comprehension, column, {clause(std::move(body))});
    expect(closing, closing == "]" ? "\"]\"" : "\")\"");
    return made;
  }
  Pointer clause(Pointer body) {
    const Level level(*this);
    const size_t column = token_.column;
    expect("for", "\"for\"");
    if (token_.kind != Token::Kind::name || is_keyword(token_.spelling)) unexpected("a name");
    const std::string variable(token_.spelling);
    advance();
    expect("in", "\"in\"");
    // No if-else without parentheses: an "if" here begins a condition, as in Python.
    std::vector<Pointer> children{nullptr, disjunction()};
    while (accept("if")) children.push_back(disjunction());
    children[0] = at("for") ? clause(std::move(body)) : std::move(body);
    auto made = std::make_shared<Node>(*node(Kind::clause, column, std::move(children)));
    made->name = variable;
    return made;
  }
  /// A call's arguments, or a single comprehension, which needs no brackets there.
  std::vector<Pointer> arguments() {
    if (accept(")")) return {};
    Pointer first = conditional();
    if (at("for")) return {comprehension(std::move(first), ")")};
    return elements(")", {std::move(first)});
  }

  Pointer word() {
    const size_t column = token_.column;
    const std::string name(token_.spelling);
    if (is_keyword(name)) unexpected("a value");
    advance();
    if (at("(")) return call(name, column);
    if (is_among(name, "True true")) return constant(true, column);
    if (is_among(name, "False false")) return constant(false, column);
    if (name == "pi") return constant(3.14159265358979323846, column);
    auto made = std::make_shared<Node>();
    made->kind = Kind::name;
    made->column = column;
    made->name = name;
    return made;
  }
  Pointer call(const std::string& name, size_t column) {
    const auto row = std::ranges::find(functions(), name, &FunctionRow::name);
    if (row == functions().end())
      lexer_.fail(fmt::format("unknown function \"{}\"", excerpt(name)), column,
                  did_you_mean(name, members(functions(), &FunctionRow::name), ""));
    advance();
    std::vector<Pointer> given = arguments();
    if (given.size() < row->least || given.size() > row->most)
      lexer_.fail(fmt::format("wrong number of arguments ({}) for {}()", given.size(), name),
                  column);
    auto made = std::make_shared<Node>(*node(Kind::call, column, std::move(given)));
    made->name = name;
    made->function = MathFunction(row - functions().begin());
    return made;
  }

  ExpressionLexer lexer_;
  Token token_;
  int depth_ = 0;
};

}  // namespace

ExpressionNode::Pointer parse_expression(const std::string& text) { return Parser(text).whole(); }

}  // namespace rooftune::core
