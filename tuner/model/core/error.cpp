// Faults in the user's input and the words to mend them.
#include "core/error.h"

#include <algorithm>
#include <filesystem>
#include <new>
#include <system_error>

#include "core/list.h"
#include "core/text.h"

namespace rooftune::core {
namespace {

/// A hostile file has millions; nobody reads more than this.
constexpr size_t most_faults = 1000;

std::string line_of(const std::string& where, const std::string& message, const std::string& hint) {
  std::string line = where.empty() ? message : where + ": " + message;
  if (!hint.empty()) line += "\nhint: " + hint;
  return line;
}

/// Insertions, deletions, replacements and swaps of neighbours (restricted Damerau-Levenshtein).
size_t edit_distance(const std::string& a, const std::string& b) {
  Indices before, previous(b.size() + 1), current(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        current[j] = std::min(current[j], before[j - 2] + 1);
    }
    before = previous;
    std::swap(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

Error::Error(std::string message, const fs::path& where, std::string hint, ExitCode code)
    : std::runtime_error(plain_text(line_of(where, message, hint))),
      message_(plain_text(std::move(message))),
      where_(plain_text(where)),
      hint_(plain_text(std::move(hint))),
      code_(code) {}

Error as_error(const std::exception& fault) {
  if (const auto* error = dynamic_cast<const Error*>(&fault)) return *error;
  if (const auto* file = dynamic_cast<const fs::filesystem_error*>(&fault))
    return Error(
        file->code().message(),
        file->path1().string() + (file->path2().empty() ? "" : " and " + file->path2().string()),
        "check that it exists, may be used and has room", ExitCode::io);
  if (const auto* system = dynamic_cast<const std::system_error*>(&fault))
    return Error(system->code().message(), "operating system",
                 "end other programs or raise the limit that was met (ulimit -a)",
                 ExitCode::failure);
  if (dynamic_cast<const std::bad_alloc*>(&fault) != nullptr)
    return Error("out of memory; results already recorded are kept", {}, {}, ExitCode::failure);
  std::string words = fault.what();
  // nlohmann begins with "[json.exception.type_error.302] ", which does not help the user.
  if (words.starts_with('[')) words.erase(0, words.find("] ") + 2);
  return Error("internal error: " + words + " (please report it)", {}, {}, ExitCode::failure);
}

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

std::string excerpt(std::string_view text, size_t limit) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t length = shown_point(text.substr(at));
    if (result.size() + length > limit) return result + "...";
    if (length == 0)
      result += '?';
    else
      result += text.substr(at, length);
    at += std::max<size_t>(1, length);
  }
  return result;
}

std::string nearest_word(const std::string& word, const Texts& candidates) {
  // Long words are left out: the distance costs the product of both lengths.
  constexpr size_t longest = 100;
  if (word.empty() || word.size() > longest) return {};
  const std::string sought = lower_case(word);
  const size_t near = std::max<size_t>(1, word.size() / 3);
  size_t best = near + 1;
  std::string found;
  for (const std::string& candidate : candidates) {
    if (candidate.empty() || candidate.size() > longest) continue;
    const size_t distance = edit_distance(sought, lower_case(candidate));
    if (distance >= best || distance >= candidate.size()) continue;
    best = distance;
    found = candidate;
  }
  return found;
}

std::string did_you_mean(const std::string& word, const Texts& candidates) {
  return did_you_mean(word, candidates, candidates.empty() ? "" : "one of " + joined(candidates));
}

std::string did_you_mean(const std::string& word, const Texts& candidates,
                         const std::string& otherwise) {
  const std::string near = nearest_word(word, candidates);
  return near.empty() ? otherwise : "did you mean \"" + near + "\"?";
}

std::optional<size_t> index_of(Words words, const std::string& text) {
  const auto found = std::ranges::find(words, text);
  if (found == words.end()) return std::nullopt;
  return size_t(found - words.begin());
}

std::string suggestion(Words words, const std::string& text) {
  const Texts all(words.begin(), words.end());
  constexpr size_t few = 10;
  return all.size() > few ? did_you_mean(text, all, "") : did_you_mean(text, all);
}

size_t index_or_error(Words words, const char* what, const std::string& text) {
  if (const auto index = index_of(words, text)) return *index;
  throw Error("unknown " + std::string(what) + " \"" + excerpt(text) + "\"", {},
              suggestion(words, text));
}

}  // namespace rooftune::core
