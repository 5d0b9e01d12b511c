// A function of the user's source as a kernel could have it, from preprocessed C and C++ as words
// and marks: its needs of the file, its parameters, its loops and their pragmas, and the
// numbers of elements of its arrays as formulas.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "build/tokens.h"
#include "core/expression.h"
#include "core/list.h"
#include "core/modules.h"
#include "kernel/element_type.h"
#include "scaffold/source.h"

namespace rooftune::scaffold {

using build::Token;
using build::Tokens;
using build::tokens_of;

/// Whether it gives the word beside it another value.
inline bool assigns(const Token& mark) {
  return mark.is("= += -= *= /= %= &= |= ^= <<= >>= ++ --");
}
/// The index of the bracket that closes the one at `open`; the last token's where it is missing.
size_t closing(const Tokens& tokens, size_t open);
/// The first of these marks, between blanks, in [from, end) and outside of brackets that open
/// there; `end` without one.
size_t first_of(const Tokens& tokens, size_t from, size_t end, std::string_view marks);
/// The ranges of tokens between commas, from behind the bracket at `open`; empty ones are left out.
std::vector<std::pair<size_t, size_t>> parts_of(const Tokens& tokens, size_t open);
/// The tokens [begin, end), separated by blanks where words meet.
std::string joined(const Tokens& tokens, size_t begin, size_t end);
/// The clauses of a directive, behind "#pragma omp" or "!$omp": each word with its brackets.
Texts clauses_of(std::string_view directive);
/// Those for which no knob stands, each behind a blank.
std::string kept_clauses(const Texts& clauses);
/// A declaration outside of functions: the tokens [begin, end).
struct Declaration {
  size_t begin = 0, end = 0;
  std::string scope;            ///< "grid::", or empty
  std::set<std::string> names;  ///< the names in it
  size_t name = 0, body = 0;    ///< of a function that it defines: its name, its brace; else 0
};
std::vector<Declaration> declarations_in(const Tokens& tokens);
/// The meaning of names of the file: `constexpr int N = 64;`, `using real = double;` and `typedef
/// double real;`.
std::map<std::string, std::string> names_in(const Tokens& tokens);
/// Behind the statement or block that begins at `at`.
size_t statement_end(const Tokens& tokens, size_t at);
using TokenRanges = std::vector<std::pair<size_t, size_t>>;
/// Parts of [begin, end) without a run of their own: branches, and loops where `loops`.
TokenRanges conditions(const Tokens& tokens, size_t begin, size_t end, bool loops);

/// Functions and lambdas of one expression, such as idx(i, j): put in where they are called.
class ShortFunctions {
 public:
  /// Those of a file.
  explicit ShortFunctions(const Tokens& tokens);
  bool has(std::string_view name) const { return functions_.contains(std::string(name)); }
  /// The text with their expressions in place of their calls, a few deep.
  std::string expanded(const std::string& text) const;

 private:
  struct Function {
    Texts parameters;
    std::string result;
  };
  void add(const Token& name, const Tokens& tokens, size_t open, const std::string& result);
  std::string once(const std::string& text) const;

  std::map<std::string, Function> functions_;
};

using Sizes = std::map<std::string, int64_t>;
Expression::Lookup lookup_in(const Sizes& sizes);

/// As an Expression reads it: whole division, no casts and no suffixes of numbers.
std::string formula_of(const std::string& text);
/// The whole number that a text of C is; nullopt: it is none.
std::optional<int64_t> value_of(const std::string& text, const Expression::Lookup& lookup);
/// Formulas over these names: n, n + 1, n*m, (n + 2)*(m + 2), n*m*k and the like; simple ones
/// first.
Texts plain_formulas(const Texts& names);
/// The first of `texts`, then of the plain formulas, that is `count`; else the number.
std::string formula_for(int64_t count, const Texts& texts, const Sizes& sizes);

struct FunctionParameter {
  std::string name;
  std::string c_type;  ///< without const, aliases resolved: "double"; empty: void
  ElementType type = Element::int32;
  bool array = false;      ///< a pointer or brackets
  bool constant = false;   ///< what it points or refers to
  bool reference = false;  ///< to a number
  bool address = false;    ///< of one number, which is only read
  bool global = false;     ///< an array of the file: the function names it
  Texts sides;             ///< of brackets: {"", "64"} of u[][64]
  /// Whether the function can leave something in it.
  bool is_written() const { return (array || reference) && !constant; }
};

struct FunctionSource {
  std::string name;
  std::string scope;                             ///< "grid::", or empty
  std::optional<FunctionParameter> returns;      ///< nullopt: void
  std::vector<FunctionParameter> parameters;     ///< arrays of the file behind those of its own
  size_t open = 0, close = 0;                    ///< tokens: the braces of its body
  std::map<std::string, std::string> constants;  ///< of the file: the meaning of names
  /// The rest of the file is taken out, and its arrays of the file become pointers.
  std::vector<Edit> edits;
  Texts elsewhere;  ///< functions that it calls, of other files; they do nothing
};

/// Finds the definition of `name`, of "scope::name", or around a line (its number), outside of
/// classes. Throws Error at "file:line": there is none (with the names there are), several (with
/// their lines), a template, or a parameter that a kernel cannot have, with the lines that capture
/// a call of it.
FunctionSource function_in(const Tokens& tokens, const SourceText& source, const std::string& file,
                           const std::string& name);

struct LoopText {
  size_t begin = 0;          ///< token: its `for`
  size_t body = 0, end = 0;  ///< tokens: of its statement or block, end behind it
  size_t pragma = 0;         ///< token: the user's OpenMP directive in front; 0: none
  std::string variable;      ///< empty: not counted
  bool outermost = true, innermost = true;
};

/// One use of an array of the function.
struct ArrayUse {
  size_t token = 0;  ///< its name, or that of a pointer into it
  Texts index;       ///< the texts in brackets; empty: it is handed on
  bool read = false, written = false;
};

/// A pointer that stands for a place in an array: double (*r)[n] = (double (*)[n])u.
struct Alias {
  std::string array, offset;  ///< empty: its begin
};

class LoopNest {
 public:
  LoopNest(const Tokens& tokens, const FunctionSource& function);

  const std::vector<LoopText>& loops() const { return loops_; }
  /// Why its passes may depend on each other; empty: they touch different elements, as far as the
  /// text shows, and change no number but sums() and privates().
  std::string dependence(const LoopText& loop) const;
  /// Numbers that the passes only add to.
  Texts sums(const LoopText& loop) const { return shared(loop, Change::adds); }
  /// Numbers and arrays from outside of the loop that each pass writes before it reads them.
  Texts privates(const LoopText& loop) const { return shared(loop, Change::own); }
  /// Whether the function writes an array and never reads it.
  bool only_written(const std::string& array) const;
  /// The array that the elements of this one are indices of; empty: they are none.
  std::string indexed_by(const std::string& array) const;
  /// A formula over the integer parameters, of an array whose sides all stand in its brackets; else
  /// empty.
  std::string elements(const FunctionParameter& array) const;

  /// The knobs of a loop.
  struct Pragmas {
    bool parallel = false, schedule = false, simd = false, unroll = false;
    int collapse = 1;  ///< the most loops that may become one
    bool any() const { return parallel || simd || unroll || collapse > 1; }
    /// Those of another loop, too.
    void add(const Pragmas& other);
  };
  Pragmas pragmas(const LoopText& loop) const;
  /// The pragmas of the knobs in front of the loops; those of the user are changed.
  std::vector<Edit> pragma_edits(const std::string& source) const;
  /// The schedule of the user's pragmas: "dynamic"; empty where they name none.
  std::string schedule() const { return schedule_; }

 private:
  enum class Change { no, adds, own, depends };

  void find_loops();
  void find_locals();
  void find_aliases();
  void find_uses();
  LoopText loop_at(size_t token) const;
  std::optional<ArrayUse> use_at(size_t token, std::string& array) const;
  /// Names from outside of the loop that its passes change.
  std::map<std::string, Change> changes(const LoopText& loop) const;
  Texts shared(const LoopText& loop, Change how) const;
  Change change(const LoopText& loop, const std::string& name) const;
  bool writes_first(const LoopText& loop, const std::string& name) const;
  /// Whether a value that the loop leaves is read behind it, or by a loop around in its next pass.
  bool needed_outside(const LoopText& loop, const std::string& name) const;
  bool starts_with_write(size_t begin, size_t end, const std::string& name,
                         bool loops_are_conditions) const;
  bool is_write(size_t token) const;
  const LoopText* nested(const LoopText& loop) const;
  int depth(const LoopText& loop) const;
  bool inside_parallel(const LoopText& loop) const;
  const LoopText* collapser(const LoopText& loop, int& level) const;
  std::string pragma_lines(const LoopText& loop) const;
  Edit pragma_changed(const LoopText& loop) const;

  const Tokens& tokens_;
  const FunctionSource& function_;
  ShortFunctions short_;
  std::vector<LoopText> loops_;
  std::map<std::string, std::vector<ArrayUse>> uses_;
  std::map<std::string, std::string> locals_;  ///< whole numbers defined once
  std::map<std::string, Alias> aliases_;
  std::set<size_t> defined_;          ///< tokens: names where they are defined
  std::set<std::string> own_arrays_;  ///< of the function, on its stack
  std::set<std::string> pointers_;    ///< of the function, into unknown places
  std::set<std::string> changed_;     ///< numbers that are no locals_
  std::string schedule_;
  bool in_region_ = false;  ///< the function has pragmas of its own that make threads
};

}  // namespace rooftune::scaffold
