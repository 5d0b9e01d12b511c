#include "run/command_template.h"

#include <algorithm>

#include "build/flags.h"
#include "build/includes.h"
#include "core/text.h"

namespace rooftune::run {
namespace {

/// Length of "{NAME}" at `at`; 0 when there is none.
std::size_t placeholder_length(const std::string& text, std::size_t at) {
  if (text[at] != '{') return 0;
  std::size_t end = at + 1;
  while (is_identifier(text[end])) ++end;
  const bool named = end > at + 1 && (text[at + 1] < '0' || text[at + 1] > '9');
  return named && text[end] == '}' ? end + 1 - at : 0;
}

}  // namespace

std::vector<CommandTemplate::Piece> CommandTemplate::pieces(const std::string& word) {
  std::vector<Piece> result{{}};
  for (std::size_t at = 0; at < word.size();) {
    const bool doubled = word[at] == '{' && at + 1 < word.size() && word[at + 1] == '{';
    const std::size_t inner = doubled ? placeholder_length(word, at + 1) : 0;
    if (inner > 0 && word.compare(at + 1 + inner, 1, "}") == 0) {
      result.back().text += word.substr(at + 1, inner);
      at += inner + 2;
      continue;
    }
    const std::size_t length = placeholder_length(word, at);
    if (length > 0 && (at == 0 || word[at - 1] != '$')) {
      result.push_back({word.substr(at + 1, length - 2), true});
      result.push_back({});
      at += length;
      continue;
    }
    result.back().text += word[at++];
  }
  return result;
}

void CommandTemplate::add_word(const std::string& text) {
  words_.push_back(pieces(text));
  for (const Piece& piece : words_.back())
    if (piece.placeholder && !has(piece.text)) names_.push_back(piece.text);
}

CommandTemplate CommandTemplate::parse(const std::string& text, const std::string& option) {
  CommandTemplate result(option);
  for (const std::string& word : shell_words(text, option)) result.add_word(word);
  return result;
}

CommandTemplate CommandTemplate::word(const std::string& text, std::string option) {
  CommandTemplate result(std::move(option));
  result.add_word(text);
  return result;
}

bool CommandTemplate::has(const std::string& name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

std::vector<std::string> CommandTemplate::filled(const Lookup& lookup) const {
  std::vector<std::string> result;
  for (const auto& word : words_) {
    std::string text;
    for (const Piece& piece : word) text += piece.placeholder ? lookup(piece.text) : piece.text;
    result.push_back(std::move(text));
  }
  return result;
}

std::string CommandTemplate::fixed_word(std::size_t index) const {
  if (index >= words_.size() || words_[index].size() != 1) return {};
  return words_[index].front().text;
}

std::string quoted(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_word(word);
  return text;
}

}  // namespace rooftune::run
