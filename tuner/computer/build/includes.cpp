// A scan of C++ for #include lines and words. No compiler does it for names of knobs: a
// preprocessor takes an unknown name in #if for 0, and a guard (#ifndef, #define) hides it
// altogether.
#include "build/includes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <sstream>

#include "build/flags.h"
#include "core/file.h"

namespace rooftune::build {
namespace {

void collect(const std::filesystem::path& file, const std::filesystem::path& directory,
             std::set<std::filesystem::path>& found) {
  std::istringstream lines(read_text(file));
  for (std::string line; std::getline(lines, line);) {
    const std::string name = included(line).name;
    if (name.empty()) continue;
    for (const auto& place : {file.parent_path(), directory}) {
      const auto candidate = (place / name).lexically_normal();
      std::error_code fault;
      if (!std::filesystem::is_regular_file(candidate, fault)) continue;
      if (found.insert(candidate).second) collect(candidate, directory, found);
      break;
    }
  }
}

constexpr std::string_view macro_prefix = "KNOB_";

constexpr std::array<std::string_view, 5> raw_prefixes{"R", "LR", "uR", "UR", "u8R"};

bool is_raw_prefix(std::string_view word) {
  return std::find(raw_prefixes.begin(), raw_prefixes.end(), word) != raw_prefixes.end();
}

/// Walks over a source word by word.
class SourceWords {
 public:
  explicit SourceWords(std::string_view text) : text_(text) {}

  /// The next word outside comments and literals; empty at the end.
  std::string_view next();
  int line() const { return line_; }
  /// Whether ## follows the last word.
  bool pasted() const {
    const std::size_t at = text_.find_first_not_of(" \t", at_);
    return at != std::string_view::npos && starts(at, "##");
  }

 private:
  bool starts(std::size_t at, std::string_view what) const {
    return text_.substr(at, what.size()) == what;
  }
  /// Moves on to `at`, or to the end, and counts lines.
  void skip_to(std::size_t at) {
    at = std::min(at, text_.size());
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    at_ = at;
  }
  void skip_past(std::string_view what, std::size_t from) {
    const std::size_t at = text_.find(what, from);
    skip_to(at == std::string_view::npos ? at : at + what.size());
  }
  void skip_line_comment();
  void skip_literal(char quote);
  void skip_raw_string();

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

void SourceWords::skip_line_comment() {
  std::size_t end = text_.find('\n', at_);
  // A backslash makes the next line part of the comment.
  while (end != std::string_view::npos && text_[end - 1] == '\\') end = text_.find('\n', end + 1);
  skip_to(end);
}

void SourceWords::skip_literal(char quote) {
  std::size_t at = at_ + 1;
  // An apostrophe in the text of #error ends with its line.
  while (at < text_.size() && text_[at] != quote && text_[at] != '\n')
    at += text_[at] == '\\' ? 2 : 1;
  skip_to(at < text_.size() && text_[at] == quote ? at + 1 : at);
}

/// At the quote of R"delimiter(...)delimiter".
void SourceWords::skip_raw_string() {
  const std::size_t open = text_.find('(', at_);
  if (open == std::string_view::npos) return skip_to(open);
  skip_past(fmt::format("){}\"", text_.substr(at_ + 1, open - at_ - 1)), open);
}

std::string_view SourceWords::next() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (starts(at_, "//")) {
      skip_line_comment();
    } else if (starts(at_, "/*")) {
      skip_past("*/", at_ + 2);
    } else if (c == '"' || c == '\'') {
      skip_literal(c);
    } else if (is_identifier(c)) {
      const std::size_t begin = at_;
      const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
      // 1'000'000 is one number.
      while (at_ < text_.size() && (is_identifier(text_[at_]) || (number && text_[at_] == '\'')))
        ++at_;
      const std::string_view word = text_.substr(begin, at_ - begin);
      if (at_ < text_.size() && text_[at_] == '"' && is_raw_prefix(word))
        skip_raw_string();
      else if (!number)
        return word;
    } else {
      skip_to(at_ + 1);
    }
  }
  return {};
}

bool names(const NamedKnob& one, const std::string& macro) {
  return one.is_part ? macro.starts_with(one.macro) : macro == one.macro;
}

/// Why a name is no macro, and a similar one.
std::string complaint(const std::string& macro, const SearchSpace& space,
                      const std::vector<std::string>& known) {
  for (const Knob& knob : space.knobs())
    if (macro_name(knob.name) == macro)
      return fmt::format("knob {} is of kind {}, which has no macro", knob.name,
                         to_text(knob.kind));
  const std::string near = nearest_word(macro, known);
  return fmt::format("{} is no knob of search space {}{}", macro, space.name(),
                     near.empty() ? "" : "; did you mean " + near + "?");
}

}  // namespace

bool is_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

Include included(const std::string& line) {
  std::size_t at = line.find_first_not_of(" \t");
  if (at == std::string::npos || line[at] != '#') return {};
  at = line.find_first_not_of(" \t", at + 1);
  if (at == std::string::npos || line.compare(at, 7, "include") != 0) return {};
  at = line.find_first_of("\"<", at + 7);
  if (at == std::string::npos) return {};
  const bool quoted = line[at] == '"';
  const std::size_t end = line.find(quoted ? '"' : '>', at + 1);
  if (end == std::string::npos) return {};
  return {line.substr(at + 1, end - at - 1), quoted};
}

std::vector<std::filesystem::path> included_files(const std::filesystem::path& source,
                                                  const std::filesystem::path& directory) {
  std::set<std::filesystem::path> found;
  collect(source, directory, found);
  return {found.begin(), found.end()};
}

std::vector<NamedKnob> named_knobs(const std::filesystem::path& source,
                                   const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files = included_files(source, directory);
  files.insert(files.begin(), source);
  std::vector<NamedKnob> named;
  std::set<std::string, std::less<>> seen;
  for (const auto& file : files) {
    const std::string text = read_text(file);
    SourceWords words(text);
    for (std::string_view word = words.next(); !word.empty(); word = words.next())
      if (word.starts_with(macro_prefix) && seen.emplace(word).second)
        named.push_back({std::string(word), file, words.line(), words.pasted()});
  }
  return named;
}

std::vector<std::string> unknown_knobs(const std::vector<NamedKnob>& named,
                                       const SearchSpace& space) {
  std::vector<std::string> known;
  for (const Macro& macro : knob_macros(space, space.baseline())) known.push_back(macro.name);
  std::vector<std::string> faults;
  for (const NamedKnob& one : named) {
    const bool is_known = std::any_of(known.begin(), known.end(),
                                      [&](const std::string& macro) { return names(one, macro); });
    if (!is_known)
      faults.push_back(fmt::format("{}:{}: error: {}", one.file.string(), one.line,
                                   complaint(one.macro, space, known)));
  }
  return faults;
}

std::vector<std::string> unread_knobs(const std::vector<NamedKnob>& named, const Kernel& kernel,
                                      const SearchSpace& space) {
  std::set<std::string> in_arguments;
  for (const Argument& argument : kernel.arguments)
    in_arguments.insert(argument.value.names().begin(), argument.value.names().end());
  const auto is_read = [&](const Knob& knob) {
    if (knob.kind == Knob::Kind::argument) return in_arguments.count(knob.name) != 0;
    if (knob.kind != Knob::Kind::compile) return true;
    return std::any_of(named.begin(), named.end(),
                       [&](const NamedKnob& one) { return names(one, macro_name(knob.name)); });
  };
  std::vector<std::string> unread;
  for (const Knob& knob : space.knobs())
    if (!is_read(knob)) unread.push_back(knob.name);
  return unread;
}

}  // namespace rooftune::build
