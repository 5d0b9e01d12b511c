// The tokens of an expression.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/value.h"

namespace rooftune::core {

struct Token {
  enum class Kind { number, text, name, symbol, end };
  Kind kind = Kind::end;
  std::size_t column = 1;
  std::string_view spelling;  ///< as written
  Value value;                ///< number and text
  bool lowest = false;        ///< the number 2^63, an integer only after a minus sign
};

class ExpressionLexer {
 public:
  explicit ExpressionLexer(const std::string& text) : text_(text) {}
  /// The next token; throws Error for characters and numbers outside the language.
  Token next();
  [[noreturn]] void fail(const std::string& message, std::size_t column,
                         const std::string& hint = {}) const;

 private:
  Token number();
  Token whole(std::size_t begin, int base);
  Token quoted();
  Token symbol();
  Token token(Token::Kind kind, std::size_t begin) const;

  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace rooftune::core
