#include "build/tokens.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"

namespace rooftune::build {
namespace {

constexpr std::string_view long_marks =
    "<<= >>= ... -> :: <= >= == != += -= *= /= %= &= |= ^= ++ -- && || << ##";

/// Where the line ends, also one that goes on behind a backslash.
size_t line_end(std::string_view source, size_t at) {
  while (at < source.size() && source[at] != '\n') at += source[at] == '\\' ? 2 : 1;
  return std::min(at, source.size());
}

/// Behind a text or a character that begins at `at` with its quote.
size_t quote_end(std::string_view source, size_t at) {
  const char quote = source[at++];
  while (at < source.size() && source[at] != quote && source[at] != '\n')
    at += source[at] == '\\' ? 2 : 1;
  return std::min(at + 1, source.size());
}

size_t word_end(std::string_view source, size_t at) {
  while (at < source.size() && is_identifier_char(source[at])) ++at;
  return at;
}

/// Also 1e-3 and 0x1.8p+2.
size_t number_end(std::string_view source, size_t at) {
  for (; at < source.size(); ++at) {
    const bool sign = (source[at] == '+' || source[at] == '-') && contains("eEpP", source[at - 1]);
    if (!is_identifier_char(source[at]) && source[at] != '.' && source[at] != '\'' && !sign) break;
  }
  return at;
}

size_t mark_end(std::string_view source, size_t at) {
  for (const size_t size : {3, 2})
    if (is_among(source.substr(at, size), long_marks)) return at + size;
  return at + 1;
}

/// Behind a raw text whose delimiter begins at `at`.
size_t raw_end(std::string_view source, size_t at) {
  const size_t open = source.find('(', at);
  const std::string end = fmt::format("){}\"", source.substr(at, open - at));
  const size_t found = source.find(end, at);
  return found == source.npos ? source.size() : found + end.size();
}

}  // namespace

Tokens tokens_of(std::string_view source, bool directives) {
  Tokens tokens;
  bool line_begins = true;
  for (size_t at = 0; at < source.size();) {
    const char c = source[at];
    const std::string_view rest = source.substr(at);
    if (is_space(c)) {
      line_begins = line_begins || c == '\n';
      ++at;
      continue;
    }
    if (rest.starts_with("//")) {
      at = line_end(source, at);
      continue;
    }
    if (rest.starts_with("/*")) {
      const size_t end = source.find("*/", at + 2);
      at = end == source.npos ? source.size() : end + 2;
      continue;
    }
    using Kind = Token::Kind;
    Kind kind = Kind::mark;
    size_t end = at;
    if (c == '#' && line_begins && directives) {
      kind = Kind::directive;
      end = line_end(source, at);
    } else if (c == '"' || c == '\'') {
      kind = Kind::literal;
      end = quote_end(source, at);
    } else if (is_digit(c) || (c == '.' && rest.size() > 1 && is_digit(rest[1]))) {
      kind = Kind::number;
      end = number_end(source, at + 1);
    } else if (is_identifier_char(c)) {
      kind = Kind::word;
      end = word_end(source, at);
      if (source.substr(end).starts_with('"') &&
          is_among(source.substr(at, end - at), "R u8R uR UR LR")) {
        kind = Kind::literal;
        end = raw_end(source, end + 1);
      }
    } else {
      end = mark_end(source, at);
    }
    tokens.push_back({kind, source.substr(at, end - at), at});
    line_begins = false;
    at = end;
  }
  return tokens;
}

std::vector<Statement> statements_of(const std::string& source) {
  std::vector<Statement> all;
  bool more = false;
  for (size_t at = 0, end = 0; at < source.size(); at = end + 1) {
    end = std::min(source.find('\n', at), source.size());
    std::string line = lower_case(trimmed(source.substr(at, end - at)));
    if (!line.starts_with(Statement::sentinel))
      line = trimmed(text_before(line, '!'));
    else if (more)
      line = trimmed(line.substr(Statement::sentinel.size()));
    if (more && line.starts_with('&')) line.erase(0, 1);
    if (line.empty()) continue;
    if (!more) all.push_back({at, end, ""});
    more = line.ends_with('&');
    all.back().text += more ? line.substr(0, line.size() - 1) : line;
    all.back().end = end;
  }
  return all;
}

}  // namespace rooftune::build
