// C and C++ as words and marks: enough to find a function, its parameters and its loops.
#pragma once
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/modules.h"

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

}  // namespace rooftune::scaffold
