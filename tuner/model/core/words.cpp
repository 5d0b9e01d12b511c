#include "core/words.h"

#include <algorithm>

#include "core/error.h"

namespace rooftune::core {

std::optional<std::size_t> index_of(Words words, const std::string& text) {
  const auto found = std::find(words.begin(), words.end(), text);
  if (found == words.end()) return std::nullopt;
  return static_cast<std::size_t>(found - words.begin());
}

std::string suggestion(Words words, const std::string& text) {
  const std::vector<std::string> all(words.begin(), words.end());
  constexpr std::size_t few = 10;
  return all.size() > few ? did_you_mean(text, all, "") : did_you_mean(text, all);
}

std::size_t index_or_error(Words words, const char* what, const std::string& text) {
  if (const auto index = index_of(words, text)) return *index;
  throw Error("unknown " + std::string(what) + " \"" + excerpt(text) + "\"", {},
              suggestion(words, text));
}

}  // namespace rooftune::core
