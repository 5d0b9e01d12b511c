#include "cli/problem_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/pattern.h"
#include "core/text.h"

namespace rooftune::cli {
namespace {

/// A value as it was typed: one of the knob's own.
Value value_of(const Knob& knob, const std::string& typed) {
  std::vector<std::string> known;
  for (const Value& value : knob.values) {
    known.push_back(to_text(value));
    if (known.back() == typed) return value;
  }
  throw Error(fmt::format("knob {} has no value {}", knob.name, excerpt(typed)), "--set",
              did_you_mean(typed, known));
}

/// The value of name=value holds commas and is one: "a,b=c.mtx" in quotes, or a file that is there.
bool is_one(const std::string& word) {
  const std::string value = word.substr(std::min(word.find('='), word.size() - 1) + 1);
  std::error_code fault;
  return (value.starts_with('"') && value.find('"', 1) == value.size() - 1) ||
         std::filesystem::is_regular_file(value, fault);
}

/// name=value texts. A comma separates only before a name and '=': paths and formulas hold commas.
std::vector<std::string> separated(const std::string& option) {
  // Names have a limit, because std::regex takes a frame of the stack for each character.
  static const Pattern separator(",(?=[^,=<>!()]{1,64}=(?!=))");
  constexpr std::size_t most_joined = 8;
  const auto parts = separator.split(option);
  std::vector<std::string> words;
  for (std::size_t i = 0, next = 1; i < parts.size(); i = next++) {
    std::string joined = words.emplace_back(parts[i]);
    for (std::size_t k = i + 1; k < std::min(parts.size(), i + most_joined); ++k)
      if (is_one(joined += "," + parts[k])) words.back() = joined, next = k + 1;
  }
  return words;
}

/// Without the quotes around it.
std::string unquoted(const std::string& value) {
  const bool quoted = value.size() > 1 && value.front() == '"' && value.back() == '"';
  return quoted ? value.substr(1, value.size() - 2) : value;
}

}  // namespace

Facts assignments(const std::vector<std::string>& options, const std::string& name,
                  const std::string& example) {
  Facts words;
  for (const std::string& option : options)
    for (const std::string& word : separated(option)) {
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos || equals == 0)
        throw Error(fmt::format("\"{}\" is not name=value", excerpt(word)), name,
                    fmt::format("for example {} {}", name, example));
      const std::string key = word.substr(0, equals);
      if (!words.try_emplace(key, unquoted(word.substr(equals + 1))).second)
        throw Error(fmt::format("\"{}\" is set twice", excerpt(key)), name,
                    "leave one out; several inputs are several --problem");
    }
  return words;
}

void add_variable(const std::string& text, const std::string& option, const std::string& example,
                  std::map<std::string, std::string>& variables) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Error(fmt::format("\"{}\" is not NAME=TEXT", excerpt(text)), option,
                option + " " + example);
  variables[text.substr(0, equals)] = text.substr(equals + 1);
}

Facts problem_words(const std::vector<std::string>& options) {
  return assignments(options, "--problem", "n=1000000,steps=4");
}

std::vector<InputSpec> problem_inputs(const std::vector<std::string>& options) {
  std::vector<InputSpec> inputs;
  for (const std::string& option : options) inputs.push_back({option, problem_words({option})});
  for (const InputSpec& input : inputs)
    for (const auto& [name, value] : inputs.front().parameters)
      if (input.parameters.size() != inputs.front().parameters.size() ||
          !input.parameters.contains(name))
        throw Error(
            fmt::format("\"{}\" and \"{}\" do not set the same parameters", options.front(),
                        input.name),
            "--problem",
            "each --problem is an input of its own: write all parameters of an input in one, as in "
            "--problem n=1000,steps=4, and set the same ones for every input");
  return inputs;
}

Configuration changed(Configuration configuration, const SearchSpace& space,
                      const std::string& words) {
  std::vector<std::string> names;
  for (const Knob& knob : space.knobs()) names.push_back(knob.name);
  for (const auto& [name, value] : assignments({words}, "--set", "tile=64,unroll=2")) {
    const Knob* const knob = space.knob(name);
    if (!knob) throw Error("there is no knob " + excerpt(name), "--set", did_you_mean(name, names));
    configuration.set(name, value_of(*knob, to_text(value)));
  }
  return configuration;
}

}  // namespace rooftune::cli
