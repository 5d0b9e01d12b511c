#include "run/command_template.h"

#include <algorithm>
#include <cctype>

#include "core/error.h"
#include "core/text.h"

namespace rooftune::run {
namespace {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_of_name(char c) { return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)); }

/// Length of "{NAME}" at `at`; 0 when there is none.
std::size_t placeholder_length(const std::string& text, std::size_t at) {
  if (text[at] != '{' || at + 1 >= text.size() || !begins_name(text[at + 1])) return 0;
  std::size_t end = at + 1;
  while (end < text.size() && is_of_name(text[end])) ++end;
  return end < text.size() && text[end] == '}' ? end + 1 - at : 0;
}

/// A shell's treatment of quotes and backslashes, without any substitution.
class Splitter {
 public:
  Splitter(const std::string& text, const std::string& option) : text_(text), option_(option) {}

  std::vector<std::string> words() {
    for (at_ = 0; at_ < text_.size(); ++at_) take(text_[at_]);
    end_word();
    return std::move(words_);
  }

 private:
  void take(char c) {
    if (c == '\'' || c == '"') {
      quotation(c);
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      end_word();
    } else {
      if (c == '\\' && at_ + 1 < text_.size()) c = text_[++at_];
      add(c);
    }
  }
  void quotation(char quote) {
    const std::size_t begin = at_;
    open_ = true;
    while (++at_ < text_.size() && text_[at_] != quote) {
      const bool escaped = quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size() &&
                           std::string("\"\\$`").find(text_[at_ + 1]) != std::string::npos;
      add(text_[escaped ? ++at_ : at_]);
    }
    if (at_ >= text_.size())
      throw Error("the quote " + excerpt(text_.substr(begin)) + " is not closed", option_,
                  "write the closing quote, or \\ before a quote that is meant itself");
  }
  void add(char c) {
    word_ += c;
    open_ = true;
  }
  void end_word() {
    if (open_) words_.push_back(std::move(word_));
    word_.clear();
    open_ = false;
  }

  const std::string& text_;
  const std::string& option_;
  std::size_t at_ = 0;
  bool open_ = false;  // '' is a word too
  std::string word_;
  std::vector<std::string> words_;
};

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
  for (const std::string& word : Splitter(text, option).words()) result.add_word(word);
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
