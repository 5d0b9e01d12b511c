#include "cli/choices.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "core/error.h"
#include "core/text.h"

namespace rooftune::cli {
namespace {

/// CLI11 makes one text of a fault; after this mark comes its cure.
constexpr char cure_follows = '\n';

bool is_hidden(const std::string& group) { return group.empty(); }

/// As typed: "tune records gc".
std::string name_of(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent ? name_of(*parent) + " " + command.get_name() : command.get_name();
}

/// The word at fault, of those left over: an option, left over together with its value, before any
/// other.
std::string first_unexpected(const std::vector<std::string>& left,
                             const std::vector<std::string>& argv) {
  const auto blamed = [&](bool options_only) -> std::string {
    for (const std::string& word : argv) {
      const std::string name = word.starts_with("--") ? word.substr(0, word.find('=')) : word;
      if (options_only && !word.starts_with("-")) continue;
      for (const std::string& each : left)
        if (each == word || each == name) return name;
    }
    return {};
  };
  const std::string option = blamed(true);
  return option.empty() ? blamed(false) : option;
}

}  // namespace

CLI::Validator one_of(const std::vector<std::string>& words) {
  return CLI::Validator(
      [words](const std::string& typed) -> std::string {
        if (std::find(words.begin(), words.end(), typed) != words.end()) return {};
        return fmt::format("\"{}\" is none of its words{}{}", excerpt(typed), cure_follows,
                           did_you_mean(typed, words));
      },
      fmt::format("{{{}}}", fmt::join(words, ",")));
}

std::vector<std::string> choices_of(const CLI::App& app, const std::string& name) {
  const CLI::Option* option = app.get_option_no_throw(name);
  if (!option) return {};
  const std::string type = option->get_type_name();
  const std::size_t begin = type.find('{'), end = type.rfind('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (is_hidden(option->get_group())) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command :
       app.get_subcommands([](const CLI::App* each) { return !is_hidden(each->get_group()); }))
    names.push_back(command->get_name());
  return names;
}

const CLI::App& chosen_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : chosen_command(*chosen.back());
}

Error wrong_words(const CLI::App& app, const CLI::ParseError& fault,
                  const std::vector<std::string>& argv) {
  const CLI::App& command = chosen_command(app);
  const std::string help = fmt::format("{} --help shows what it takes", name_of(command));
  const std::string where = "command line";
  if (dynamic_cast<const CLI::ValidationError*>(&fault)) {
    const std::string text = fault.what();
    const std::size_t cut = text.find(cure_follows);
    if (cut != std::string::npos) return {text.substr(0, cut), where, text.substr(cut + 1)};
  }
  // Words left over explain a missing command, too.
  const std::string word = first_unexpected(app.remaining(true), argv);
  if (word.empty()) return {fault.what(), where, help};
  const bool is_option = word.starts_with("-");
  const auto known = is_option ? option_names(command) : command_names(command);
  const std::string near = nearest_word(word, known);
  return {fmt::format("{} \"{}\"",
                      is_option       ? "unknown option"
                      : known.empty() ? "nothing takes the word"
                                      : "unknown command",
                      excerpt(word)),
          where, near.empty() ? help : fmt::format("did you mean \"{}\"? {}", near, help)};
}

}  // namespace rooftune::cli
