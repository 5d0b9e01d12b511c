// Expressions: parse, collect names, evaluate; and the lexer, with tokens spelt as in Python.
#include "core/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/error.h"
#include "core/list.h"
#include "core/text.h"

namespace rooftune::core {
namespace {

constexpr size_t length_limit = 100'000;

/// `bound` are the variables that comprehensions around the node bind.
void collect_names(const ExpressionNode& node, Texts& names, Texts& bound) {
  const auto has = [&node](const Texts& all) { return contains(all, node.name); };
  if (node.kind == ExpressionNode::Kind::name && !has(names) && !has(bound))
    names.push_back(node.name);
  if (node.kind != ExpressionNode::Kind::clause) {
    for (const auto& child : node.children) collect_names(*child, names, bound);
    return;
  }
  // The list behind a variable cannot depend on it.
  collect_names(*node.children[1], names, bound);
  bound.push_back(node.name);
  for (const size_t i : indices(node.children))
    if (i != 1) collect_names(*node.children[i], names, bound);
  bound.pop_back();
}

}  // namespace

Expression Expression::parse(const std::string& text) {
  if (text.size() > length_limit)
    throw Error("expression of " + std::to_string(text.size()) + " bytes; at most " +
                std::to_string(length_limit) + " are allowed");
  Expression expression;
  expression.text_ = text;
  expression.root_ = parse_expression(text);
  Texts bound;
  collect_names(*expression.root_, expression.names_, bound);
  return expression;
}

Value Expression::evaluate(const Lookup& lookup) const {
  if (!root_) throw Error("empty expression");
  return evaluated(*root_, text_, lookup);
}

Value Expression::evaluate(const Lookup& lookup, const fs::path& where) const {
  try {
    return evaluate(lookup);
  } catch (const Error& error) {
    throw Error("\"" + text_ + "\": " + error.message(), where, error.hint());
  }
}

std::string place_in_expression(const std::string& text, size_t column) {
  constexpr size_t shown_characters = 60;
  const size_t begin = text.size() > shown_characters && column > shown_characters / 2
                           ? column - shown_characters / 2
                           : size_t{0};
  return fmt::format(
      " at column {} of \"{}{}\"", column, begin > 0 ? "..." : "",
      excerpt(std::string_view(text).substr(std::min(begin, text.size())), shown_characters));
}

void ExpressionLexer::fail(const std::string& message, size_t column,
                           const std::string& hint) const {
  throw Error(message + place_in_expression(text_, column), {}, hint);
}

Token ExpressionLexer::token(Token::Kind kind, size_t begin) const {
  Token result;
  result.kind = kind;
  result.column = begin + 1;
  result.spelling = std::string_view(text_).substr(begin, at_ - begin);
  return result;
}

Token ExpressionLexer::next() {
  while (at_ < text_.size() && contains(" \t\r\n", text_[at_])) ++at_;
  if (at_ == text_.size()) return token(Token::Kind::end, at_);
  const char c = text_[at_];
  const bool fraction = c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]);
  if (is_digit(c) || fraction) return number();
  if (c == '\'' || c == '"') return quoted();
  if (!is_identifier_char(c)) return symbol();
  const size_t begin = at_;
  while (at_ < text_.size() && is_identifier_char(text_[at_])) ++at_;
  return token(Token::Kind::name, begin);
}

Token ExpressionLexer::number() {
  const size_t begin = at_;
  const bool hexadecimal = text_[at_] == '0' && at_ + 1 < text_.size() &&
                           (text_[at_ + 1] == 'x' || text_[at_ + 1] == 'X');
  bool real = false;
  if (hexadecimal) at_ += 2;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const bool exponent = !hexadecimal && (c == 'e' || c == 'E');
    if (!is_identifier_char(c) && c != '.') break;
    real = real || exponent || c == '.';
    ++at_;
    if (exponent && at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
  }
  if (hexadecimal) return whole(begin, 16);
  if (!real) return whole(begin, 10);
  Token result = token(Token::Kind::number, begin);
  double value = 0;
  const char* end = text_.data() + at_;
  const auto read = std::from_chars(text_.data() + begin, end, value);
  if (read.ec == std::errc::result_out_of_range) fail("number out of range", begin + 1);
  if (read.ptr != end || read.ec != std::errc{})
    fail(fmt::format("malformed number \"{}\"", excerpt(result.spelling)), begin + 1);
  result.value = value;
  return result;
}

Token ExpressionLexer::whole(size_t begin, int base) {
  constexpr uint64_t lowest_magnitude = uint64_t{1} << 63;
  Token result = token(Token::Kind::number, begin);
  uint64_t value = 0;
  const char* end = text_.data() + at_;
  const auto read = std::from_chars(text_.data() + begin + (base == 16 ? 2 : 0), end, value, base);
  const bool too_large = read.ec == std::errc::result_out_of_range || value > lowest_magnitude;
  if (read.ptr != end || (read.ec != std::errc{} && !too_large))
    fail(fmt::format("malformed number \"{}\"", excerpt(result.spelling)), begin + 1);
  if (too_large) fail("integer out of range (64 bits)", begin + 1);
  // As in Python: 007 is neither octal nor decimal.
  if (base == 10 && value != 0 && text_[begin] == '0')
    fail("an integer starts with 0", begin + 1, "leave the leading zeros out");
  result.lowest = value == lowest_magnitude;
  result.value = int64_t(value);
  return result;
}

Token ExpressionLexer::quoted() {
  const size_t begin = at_;
  const char quote = text_[at_++];
  std::string content;
  while (at_ < text_.size() && text_[at_] != quote) {
    char c = text_[at_++];
    if (c == '\\') {
      constexpr std::string_view written = "\\'\"nt", meant = "\\'\"\n\t";
      const size_t which = at_ < text_.size() ? written.find(text_[at_]) : std::string::npos;
      if (which == std::string::npos)
        fail("unknown escape in a text", at_, R"(known are \\ \' \" \n \t)");
      c = meant[which];
      ++at_;
    }
    content += c;
  }
  if (at_ == text_.size()) fail("text without its closing quote", begin + 1);
  ++at_;
  Token result = token(Token::Kind::text, begin);
  result.value = std::move(content);
  return result;
}

Token ExpressionLexer::symbol() {
  const size_t begin = at_;
  const std::string_view rest = std::string_view(text_).substr(at_);
  const bool two = is_among(rest.substr(0, 2), "** // <= >= == !=");
  if (two || is_among(rest.substr(0, 1), "< > | & ^ + - * / % ( ) [ ] , =")) {
    at_ += two ? 2 : 1;
    if (!two && rest[0] == '=') fail("\"=\" is no comparison", begin + 1, "write \"==\"");
    return token(Token::Kind::symbol, begin);
  }
  const auto byte = uint8_t(text_[at_]);
  const std::string shown =
      byte >= 0x20 && byte < 0x7f ? std::string(1, text_[at_]) : fmt::format("\\x{:02x}", byte);
  std::string hint;
  if (shown == "!") hint = "write \"not\" or \"!=\"";
  fail(fmt::format("unexpected character \"{}\"", shown), begin + 1, hint);
}

}  // namespace rooftune::core
