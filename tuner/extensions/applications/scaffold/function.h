// A function of the user's source as a kernel could have it, from C and C++ as words and marks: its
// parameters, its place in the text, its loops and their pragmas, and the numbers of elements of
// its arrays as formulas.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/expression.h"
#include "core/modules.h"
#include "kernel/element_type.h"

namespace rooftune::scaffold {

struct Token {
  enum class Kind {
    word,
    number,
    literal,   ///< of a text or a character
    mark,      ///< an operator or a bracket
    directive  ///< of the preprocessor: whole lines
  };
  Kind kind = Kind::mark;
  std::string_view text;
  std::size_t begin = 0;  ///< in the source
  bool is(std::string_view other) const { return text == other && kind != Kind::literal; }
  bool is_word() const { return kind == Kind::word; }
  std::size_t end() const { return begin + text.size(); }
};
/// In order; outside of them stand empty marks, so that torn sources need no care.
struct Tokens : std::vector<Token> {
  const Token& operator[](std::size_t index) const {
    static const Token none;
    return index < size() ? std::vector<Token>::operator[](index) : none;
  }
};

/// The tokens without comments; `source` must outlive them. A torn end is one token.
Tokens tokens_of(std::string_view source);
/// The index of the bracket that closes the one at `open`; the last token's where it is missing.
std::size_t closing(const Tokens& tokens, std::size_t open);
/// The first of these marks in [from, end) and outside of brackets that open there; `end` without
/// one.
std::size_t first_of(const Tokens& tokens, std::size_t from, std::size_t end,
                     std::initializer_list<std::string_view> marks);
/// The ranges of tokens between commas, from behind the bracket at `open`; empty ones are left out.
std::vector<std::pair<std::size_t, std::size_t>> parts_of(const Tokens& tokens, std::size_t open);
/// What a directive defines: a name and its text; empty for another.
Tokens macro_of(const Token& directive);
/// The tokens [begin, end), separated by blanks where words meet.
std::string joined(const Tokens& tokens, std::size_t begin, std::size_t end);
/// The number of a line, from 1.
std::size_t line_of(std::string_view source, std::size_t position);

/// Functions, lambdas and macros of one expression, such as IDX(i, j): put in where they are
/// called.
class ShortFunctions {
 public:
  /// Those of a file.
  explicit ShortFunctions(const Tokens& tokens);
  bool has(std::string_view name) const { return functions_.contains(std::string(name)); }
  /// The text with their expressions in place of their calls, a few deep.
  std::string expanded(const std::string& text) const;

 private:
  struct Function {
    std::vector<std::string> parameters;
    std::string result;
  };
  void add(const Token& name, const Tokens& tokens, std::size_t open, const std::string& result);
  std::string once(const std::string& text) const;

  std::map<std::string, Function> functions_;
};

using Sizes = std::map<std::string, std::int64_t>;
Expression::Lookup lookup_in(const Sizes& sizes);

/// As an Expression reads it: whole division, no casts and no suffixes of numbers.
std::string formula_of(const std::string& text);
/// The whole number that a text of C is; nullopt: it is none.
std::optional<std::int64_t> value_of(const std::string& text, const Expression::Lookup& lookup);
/// Formulas over these names: n, n + 1, n*m, (n + 2)*(m + 2), n*m*k and the like; simple ones
/// first.
std::vector<std::string> plain_formulas(const std::vector<std::string>& names);
/// The first of `texts`, then of the plain formulas, that is `count`; else the number.
std::string formula_for(std::int64_t count, const std::vector<std::string>& texts,
                        const Sizes& sizes);

struct FunctionParameter {
  std::string name;
  std::string c_type;  ///< without const, aliases resolved: "double"; empty: void
  ElementType type = Element::int32;
  bool array = false;              ///< a pointer or brackets
  bool constant = false;           ///< what it points or refers to
  bool reference = false;          ///< to a number
  std::vector<std::string> sides;  ///< of brackets: {"", "64"} of u[][64]
  /// Whether the function can leave something in it.
  bool is_written() const { return (array || reference) && !constant; }
};

struct FunctionSource {
  std::string name;
  std::string scope;                         ///< "grid::", or empty
  std::optional<FunctionParameter> returns;  ///< nullopt: void
  std::vector<FunctionParameter> parameters;
  std::size_t open = 0, close = 0;               ///< tokens: the braces of its body
  std::map<std::string, std::string> constants;  ///< of the file: what names stand for
};

/// Finds the definition of `name` (or "scope::name") outside of classes. Throws Error at
/// "file:line": there is none (with the names there are), several, a template, or a parameter that
/// a kernel cannot have, with the cure.
FunctionSource function_in(const Tokens& tokens, std::string_view source, const std::string& file,
                           const std::string& name);

struct LoopText {
  std::size_t begin = 0;            ///< token: its `for`
  std::size_t body = 0, end = 0;    ///< tokens: of its statement or block, end behind it
  std::string variable, low, high;  ///< formulas of its first and last value; empty: not counted
  bool outermost = true, innermost = true;
};

/// One use of an array of the function.
struct ArrayUse {
  std::size_t token = 0;           ///< its name
  std::vector<std::string> index;  ///< the texts in brackets; empty: it is handed on
  bool read = false, written = false;
};

class LoopNest {
 public:
  LoopNest(const Tokens& tokens, const FunctionSource& function);

  const std::vector<LoopText>& loops() const { return loops_; }
  /// Whether its passes touch different elements, as far as the text shows: no element of another
  /// pass is changed, and no scalar but sums(). Empty: they do; else why not.
  std::string dependence(const LoopText& loop) const;
  /// Numbers that the passes only add to.
  std::vector<std::string> sums(const LoopText& loop) const;
  /// The function has OpenMP pragmas of its own.
  bool has_pragmas() const { return has_pragmas_; }
  /// Whether the function writes an array and never reads it.
  bool only_written(const std::string& array) const;
  /// A formula over the integer parameters, of the fewest elements an array needs for the loops;
  /// empty where the text does not tell.
  std::string elements(const FunctionParameter& array) const;
  /// The source with the pragmas of the knobs in front of these loops.
  struct Pragmas {
    bool parallel = false, simd = false, unroll = false;
  };
  Pragmas pragmas(const LoopText& loop) const;
  std::string with_pragmas(std::string_view source) const;

 private:
  void find_loops();
  void find_uses();
  void find_locals();
  LoopText loop_at(std::size_t token) const;
  /// Numbers outside of the loop that its passes change: true where each only adds to it.
  std::map<std::string, bool> changed_scalars(const LoopText& loop) const;
  const LoopText* around(const std::string& variable, std::size_t token) const;

  const Tokens& tokens_;
  const FunctionSource& function_;
  ShortFunctions short_;
  std::vector<LoopText> loops_;
  std::map<std::string, std::vector<ArrayUse>> uses_;
  std::map<std::string, std::string> locals_;  ///< whole numbers defined once
  std::set<std::string> changed_;              ///< numbers that are not
  bool has_pragmas_ = false;
};

}  // namespace rooftune::scaffold
