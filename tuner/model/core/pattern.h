// Regular expressions as JavaScript writes them. std::regex adds seconds to a file's compile time,
// so pattern.cpp alone includes it.
#pragma once
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/list.h"
#include "core/modules.h"

namespace rooftune::core {

/// A text is no regular expression. what() gives the reason in the standard library's words.
class PatternError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Copies share one compiled expression. The library recurses for each repetition, as in `.*`, down
/// the stack: callers limit how long foreign texts may be.
class Pattern {
 public:
  /// The whole match, then its groups; a group without a part in it is empty.
  using Match = Texts;

  /// Throws PatternError when `expression` is none.
  explicit Pattern(const std::string& expression);

  /// Whether the expression describes the whole text.
  bool matches(const std::string& text) const;
  std::optional<Match> match(const std::string& text) const;
  /// The first match in the text.
  std::optional<Match> search(const std::string& text) const;
  /// All matches, none inside another.
  std::vector<Match> all(const std::string& text) const;
  /// The parts between the matches; an empty one at the end is left out.
  Texts split(const std::string& text) const;
  /// The text with `replacement` for each match: "$1" in it is a group, "$&" the whole match.
  std::string replaced(const std::string& text, const std::string& replacement) const;
  /// How many groups the expression has.
  size_t groups() const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace rooftune::core
