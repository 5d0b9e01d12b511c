#include "run/command_template.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "build/flags.h"
#include "build/includes.h"
#include "core/file.h"
#include "core/list.h"
#include "core/pattern.h"
#include "core/text.h"

namespace rooftune::run {
namespace {

/// How long "{NAME}" at `at` is; 0 when there is none.
size_t placeholder_length(const std::string& text, size_t at) {
  if (text[at] != '{') return 0;
  size_t end = at + 1;
  while (is_identifier_char(text[end])) ++end;
  const bool named = end > at + 1 && (text[at + 1] < '0' || text[at + 1] > '9');
  return named && text[end] == '}' ? end + 1 - at : 0;
}

constexpr const char* template_option = "--template";

/// What a file made from a template is called in a run's folder.
fs::path name_in_folder(const fs::path& file) {
  const fs::path here = fs::current_path();
  fs::path name = fs::absolute(file).lexically_normal().lexically_relative(here);
  if (name.empty() || *name.begin() == "..") name = file.filename();
  if (name.extension() == ".in") name.replace_extension();
  return name;
}

bool matches_files(const std::string& pattern) {
  glob_t found{};
  const bool any = glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0;
  globfree(&found);
  return any;
}

/// What a shell would do with a word; empty: nothing.
std::string meaning_in_shell(const std::string& word) {
  static const Pattern joint("[0-9]?(>>?|<)(&[0-9])?.*|\\|\\|?|&&?|;");
  static const Pattern variable("\\$\\{?([A-Za-z_][A-Za-z_0-9]*)\\}?");
  // Long words are texts in other languages.
  constexpr size_t longest = 200;
  if (word.size() > longest || has_any_of(word, " \n")) return {};
  if (joint.matches(word)) return "joins commands or files";
  if (word == "~" || word.starts_with("~/")) return "is your home";
  if (const auto found = variable.search(word); found && std::getenv((*found)[1].c_str()))
    return "is the value of a variable";
  if (has_any_of(word, "*?") && matches_files(word)) return "names files";
  return {};
}

}  // namespace

CommandTemplate::Word CommandTemplate::pieces(const std::string& word) {
  Word result{{}};
  for (size_t at = 0; at < word.size();) {
    const bool doubled = word[at] == '{' && at + 1 < word.size() && word[at + 1] == '{';
    const size_t inner = doubled ? placeholder_length(word, at + 1) : 0;
    if (inner > 0 && word.compare(at + 1 + inner, 1, "}") == 0) {
      result.back().text += word.substr(at + 1, inner);
      at += inner + 2;
      continue;
    }
    const size_t length = placeholder_length(word, at);
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

bool CommandTemplate::has(const std::string& name) const { return contains(names_, name); }

std::string CommandTemplate::joined(const Word& word, const Lookup& lookup) {
  std::string text;
  for (const Piece& piece : word)
    text += piece.placeholder ? rooftune::joined(lookup(piece.text), " ") : piece.text;
  return text;
}

Texts CommandTemplate::filled(const Lookup& lookup) const {
  Texts result;
  for (const auto& word : words_) {
    const bool alone = word.size() == 3 && word[0].text.empty() && word[2].text.empty();
    if (!alone) {
      result.push_back(joined(word, lookup));
      continue;
    }
    for (std::string& text : lookup(word[1].text))
      if (!text.empty()) result.push_back(std::move(text));
  }
  // A command that names nothing starts a program without a name.
  if (result.empty() && !words_.empty()) result.emplace_back();
  return result;
}

std::string CommandTemplate::text(const Lookup& lookup) const {
  return words_.empty() ? std::string() : joined(words_.front(), lookup);
}

std::string CommandTemplate::fixed_word(size_t index) const {
  if (index >= words_.size() || words_[index].size() != 1) return {};
  return words_[index].front().text;
}

Texts signs_for_shell(const std::string& command, const std::string& option) {
  const Texts words = shell_words(command, option);
  Texts signs;
  for (const std::string& word : words)
    if (const std::string meaning = meaning_in_shell(word); !meaning.empty())
      signs.push_back(
          fmt::format("{}: \"{}\" {} in a shell, but no shell reads this: the program "
                      "gets it as a word (sh -c '...' starts one)",
                      option, excerpt(word), meaning));
  return signs;
}

Error no_placeholder(const std::string& knob) {
  return {fmt::format("nothing depends on knob {}: no placeholder {{{}}} is there", knob, knob),
          "--command",
          fmt::format("write {{{}}} where its value belongs: in --command, in --build, in the "
                      "file of --template or in --env NAME={{{}}}",
                      knob, knob)};
}

std::string quoted(const Texts& words) { return joined(members(words, shell_word), " "); }

InputTemplates::InputTemplates(const Texts& files) {
  for (const std::string& file : files) {
    constexpr size_t most = size_t{1} << 26;
    fs::path name = name_in_folder(file);
    for (const auto& [other, text] : files_)
      if (other == name)
        throw Error(fmt::format("\"{}\" and another template make {}", file, name.string()),
                    template_option, "leave one out");
    files_.emplace_back(
        std::move(name),
        CommandTemplate::word(read_text(file, most), fmt::format("{} {}", template_option, file)));
  }
}

std::vector<const CommandTemplate*> InputTemplates::texts() const {
  std::vector<const CommandTemplate*> result;
  for (const auto& [name, text] : files_) result.push_back(&text);
  return result;
}

bool InputTemplates::has(const std::string& knob) const {
  return any_of(files_, [&](const auto& file) { return file.second.has(knob); });
}

FilledFiles InputTemplates::filled(const Lookup& lookup) const {
  FilledFiles result;
  for (const auto& [name, text] : files_) result.emplace_back(name, text.text(lookup));
  return result;
}

void InputTemplates::write(const Lookup& lookup, const fs::path& folder) const {
  for (const auto& [name, text] : filled(lookup)) {
    const fs::path file = folder / name;
    fs::create_directories(file.parent_path());
    fs::remove(file);
    // Nobody needs it after a crash: no synchronised write beside a timed run.
    std::ofstream out(file, std::ios::binary);
    if (!(out << text).flush())
      throw Error("cannot be written", file, "is there room in $TMPDIR?", ExitCode::io);
  }
}

}  // namespace rooftune::run
