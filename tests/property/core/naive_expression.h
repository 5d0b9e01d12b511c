// A second, naive meaning of arithmetic expressions: random trees that print themselves with the
// fewest parentheses Python needs, and compute with 128-bit integers and plain formulas. The caller
// owes nothing of the engine: this file must stay independent of it.
#pragma once
#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace naive {

__extension__ using Wide = __int128;

/// An integer or a real; truths are flagged integers. nullopt: no result within 64 bits.
struct Number {
  bool real = false, truth = false;
  Wide whole = 0;
  double value = 0;
  double as_real() const { return real ? value : static_cast<double>(whole); }
  bool holds() const { return real ? value != 0 : whole != 0; }
};
using Result = std::optional<Number>;

inline Result whole(Wide value, bool truth = false) {
  if (value > INT64_MAX || value < INT64_MIN) return std::nullopt;
  return Number{false, truth, value, 0};
}
inline Result real(double value) { return Number{true, false, 0, value}; }

/// The largest q with q * b <= a (b > 0) or q * b >= a (b < 0), found without / on negatives.
inline Wide floor_quotient(Wide a, Wide b) {
  if (b < 0) return floor_quotient(-a, -b);
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

inline Result computed(const std::string& op, const Number& a, const Number& b) {
  const bool reals = a.real || b.real;
  const double x = a.as_real(), y = b.as_real();
  if (op == "+") return reals ? real(x + y) : whole(a.whole + b.whole);
  if (op == "-") return reals ? real(x - y) : whole(a.whole - b.whole);
  if (op == "*") return reals ? real(x * y) : whole(a.whole * b.whole);
  if (op == "<") return whole(reals ? x < y : a.whole < b.whole, true);
  if (op == "<=") return whole(reals ? x <= y : a.whole <= b.whole, true);
  if (op == ">") return whole(reals ? x > y : a.whole > b.whole, true);
  if (op == ">=") return whole(reals ? x >= y : a.whole >= b.whole, true);
  if (op == "==") return whole(reals ? x == y : a.whole == b.whole, true);
  if (op == "!=") return whole(reals ? x != y : a.whole != b.whole, true);
  if (op == "&" || op == "|" || op == "^") {
    if (reals) return std::nullopt;
    const bool truths = a.truth && b.truth;
    return whole(op == "&"   ? a.whole & b.whole
                 : op == "|" ? a.whole | b.whole
                             : a.whole ^ b.whole,
                 truths);
  }
  if (y == 0) return std::nullopt;
  if (op == "/") return real(x / y);
  if (!reals) {
    const Wide quotient = floor_quotient(a.whole, b.whole);
    return op == "//" ? whole(quotient) : whole(a.whole - quotient * b.whole);
  }
  // Exact for the small binary fractions that the generator uses.
  const double quotient = std::floor(x / y);
  return real(op == "//" ? quotient : x - quotient * y);
}

struct Tree {
  std::string op;  ///< empty: a leaf; "-1" a sign; "not", "and", "or", "if", or a binary operator
  std::string text;
  Number number;
  std::vector<std::unique_ptr<Tree>> parts;
};
using Pointer = std::unique_ptr<Tree>;

inline int precedence(const std::string& op) {
  if (op.empty()) return 100;
  if (op == "if") return 0;
  if (op == "or") return 1;
  if (op == "and") return 2;
  if (op == "not") return 3;
  if (op == "<" || op == "<=" || op == ">" || op == ">=" || op == "==" || op == "!=") return 4;
  if (op == "|") return 5;
  if (op == "^") return 6;
  if (op == "&") return 7;
  if (op == "+" || op == "-") return 8;
  return op == "-1" ? 10 : 9;
}

inline Result evaluated(const Tree& tree) {
  if (tree.op.empty()) return tree.number;
  const Result first = evaluated(*tree.parts[0]);
  if (!first) return std::nullopt;
  if (tree.op == "if") return evaluated(*tree.parts[first->holds() ? 1 : 2]);
  if (tree.op == "and") return first->holds() ? evaluated(*tree.parts[1]) : first;
  if (tree.op == "or") return first->holds() ? first : evaluated(*tree.parts[1]);
  if (tree.op == "not") return whole(first->holds() ? 0 : 1, true);
  if (tree.op == "-1") return first->real ? real(-first->value) : whole(-first->whole);
  const Result second = evaluated(*tree.parts[1]);
  return second ? computed(tree.op, *first, *second) : std::nullopt;
}

/// Parentheses only where the precedence of Python asks for them.
inline std::string printed(const Tree& tree) {
  if (tree.op.empty()) return tree.text;
  const int mine = precedence(tree.op);
  const auto part = [&](std::size_t i, int least) {
    const std::string text = printed(*tree.parts[i]);
    return precedence(tree.parts[i]->op) >= least ? text : "(" + text + ")";
  };
  if (tree.op == "if") return part(1, 1) + " if " + part(0, 1) + " else " + part(2, 0);
  if (tree.op == "not") return "not " + part(0, mine);
  if (tree.op == "-1") return "-" + part(0, mine);
  // A comparison beside a comparison would be a chain.
  const int left = mine == 4 ? mine + 1 : mine;
  return part(0, left) + " " + tree.op + " " + part(1, mine + 1);
}

inline Pointer leaf(std::mt19937_64& random) {
  auto tree = std::make_unique<Tree>();
  const auto pick = random() % 8;
  if (pick == 0) {
    tree->number = *whole(random() % 2 == 0 ? 1 : 0, true);
    tree->text = tree->number.holds() ? "True" : "False";
  } else if (pick <= 2) {
    const auto quarters = random() % 64;
    tree->number = *real(static_cast<double>(quarters) / 4);
    const char* fractions[] = {".0", ".25", ".5", ".75"};
    tree->text = std::to_string(quarters / 4) + fractions[quarters % 4];
  } else {
    const auto value = pick == 3 ? random() >> (1 + random() % 62) : random() % 10;
    tree->number = *whole(static_cast<Wide>(value));
    tree->text = std::to_string(value);
  }
  return tree;
}

inline Pointer grown(std::mt19937_64& random, int depth) {
  if (depth == 0 || random() % 6 == 0) return leaf(random);
  static const std::vector<std::string> operators{"+",  "-",   "*",  "/",   "//", "%", "<",
                                                  "<=", ">",   ">=", "==",  "!=", "&", "|",
                                                  "^",  "and", "or", "not", "-1", "if"};
  auto tree = std::make_unique<Tree>();
  tree->op = operators[random() % operators.size()];
  const std::size_t parts = tree->op == "if" ? 3 : tree->op == "not" || tree->op == "-1" ? 1 : 2;
  for (std::size_t i = 0; i < parts; ++i) tree->parts.push_back(grown(random, depth - 1));
  return tree;
}

}  // namespace naive
