// Faults of the user's input and the words that mend them.
#include "core/error.h"

#include <algorithm>

#include "core/text.h"

namespace rooftune::inline core {
namespace {

/// A hostile file has millions; nobody reads so many.
constexpr std::size_t most_faults = 1000;

std::string line_of(const std::string& where, const std::string& message, const std::string& hint) {
  std::string line = where.empty() ? message : where + ": " + message;
  if (!hint.empty()) line += "\nhint: " + hint;
  return line;
}

/// Insertions, deletions, replacements and swaps of neighbours (restricted Damerau-Levenshtein).
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before, previous(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        current[j] = std::min(current[j], before[j - 2] + 1);
    }
    before = previous;
    std::swap(previous, current);
  }
  return previous[b.size()];
}

/// Bytes of the printable UTF-8 code point that `text` starts with; 0 when it starts with none.
std::size_t point_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
  // Overlong forms, surrogates and what lies beyond the last plane.
  const bool bad = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
                   (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f);
  return bad ? 0 : length;
}

}  // namespace

Error::Error(std::string message, std::string where, std::string hint, ExitCode code)
    : std::runtime_error(line_of(where, message, hint)),
      message_(std::move(message)),
      where_(std::move(where)),
      hint_(std::move(hint)),
      code_(code) {}

void Faults::add(std::string where, std::string message, std::string hint) {
  if (entries_.size() > most_faults) return;
  if (entries_.size() == most_faults) {
    where.clear();
    message = "more faults follow";
    hint = "mend these first; is it the right file?";
  }
  entries_.push_back({std::move(where), std::move(message), std::move(hint)});
}

void Faults::raise() const {
  if (entries_.empty()) return;
  if (entries_.size() == 1) {
    const Entry& only = entries_.front();
    throw Error(only.message, only.where, only.hint);
  }
  std::string all = std::to_string(entries_.size()) + " faults";
  for (const Entry& entry : entries_) all += "\n" + line_of(entry.where, entry.message, entry.hint);
  throw Error(all);
}

std::string excerpt(std::string_view text, std::size_t limit) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = point_length(text.substr(at));
    if (result.size() + length > limit) return result + "...";
    if (length == 0)
      result += '?';
    else
      result += text.substr(at, length);
    at += std::max<std::size_t>(1, length);
  }
  return result;
}

std::string nearest_word(const std::string& word, const std::vector<std::string>& candidates) {
  // Long words are compared with words of like length only: the distance costs their product.
  constexpr std::size_t longest = 100;
  if (word.empty() || word.size() > longest) return {};
  const std::string sought = lower_case(word);
  const std::size_t near = std::max<std::size_t>(1, word.size() / 3);
  std::size_t best = near + 1;
  std::string found;
  for (const std::string& candidate : candidates) {
    if (candidate.empty() || candidate.size() > longest) continue;
    const std::size_t distance = edit_distance(sought, lower_case(candidate));
    if (distance >= best || distance >= candidate.size()) continue;
    best = distance;
    found = candidate;
  }
  return found;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
  if (const std::string near = nearest_word(word, candidates); !near.empty())
    return "did you mean \"" + near + "\"?";
  std::string all;
  for (const std::string& each : candidates) all += (all.empty() ? "one of " : ", ") + each;
  return all;
}

}  // namespace rooftune::inline core
