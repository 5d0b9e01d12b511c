#include "core/pattern.h"

#include <regex>

namespace rooftune::core {

struct Pattern::Compiled {
  std::regex regex;
};

namespace {

Pattern::Match texts_of(const std::smatch& match) { return {match.begin(), match.end()}; }

std::regex compiled_regex(const std::string& expression) {
  try {
    return std::regex(expression);
  } catch (const std::regex_error& error) {
    throw PatternError(error.what());
  }
}

}  // namespace

Pattern::Pattern(const std::string& expression)
    : compiled_(std::make_shared<const Compiled>(Compiled{compiled_regex(expression)})) {}

bool Pattern::matches(const std::string& text) const {
  return std::regex_match(text, compiled_->regex);
}

std::optional<Pattern::Match> Pattern::match(const std::string& text) const {
  std::smatch match;
  if (!std::regex_match(text, match, compiled_->regex)) return std::nullopt;
  return texts_of(match);
}

std::optional<Pattern::Match> Pattern::search(const std::string& text) const {
  std::smatch match;
  if (!std::regex_search(text, match, compiled_->regex)) return std::nullopt;
  return texts_of(match);
}

std::vector<Pattern::Match> Pattern::all(const std::string& text) const {
  std::vector<Match> result;
  for (std::sregex_iterator it(text.begin(), text.end(), compiled_->regex), end; it != end; ++it)
    result.push_back(texts_of(*it));
  return result;
}

Texts Pattern::split(const std::string& text) const {
  const std::sregex_token_iterator parts(text.begin(), text.end(), compiled_->regex, -1);
  return {parts, std::sregex_token_iterator()};
}

std::string Pattern::replaced(const std::string& text, const std::string& replacement) const {
  return std::regex_replace(text, compiled_->regex, replacement);
}

size_t Pattern::groups() const { return compiled_->regex.mark_count(); }

}  // namespace rooftune::core
