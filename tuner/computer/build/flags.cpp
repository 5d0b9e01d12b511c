// Compiler flags and macros from knobs; here their text on the command line has only letters and
// digits.
#include "build/flags.h"

#include <fmt/format.h>

#include <cctype>
#include <map>
#include <utility>

#include "core/error.h"
#include "core/list.h"
#include "space/knob.h"

namespace rooftune::build {
namespace {

std::string number_text(const Knob& knob, const Value& value) {
  if (value.is_bool()) return value.truth() ? "1" : "0";
  if (value.is_number()) return to_text(value);
  throw Error("value " + to_text(value) + " of a compile knob is neither number nor word",
              "knob " + knob.name);
}

/// The values in the file. A source compares with all of them, also with those barred on this
/// machine.
ValueList named_values(const Knob& knob) {
  ValueList named = knob.values;
  append(named, knob.barred);
  return named;
}

std::string word_name(const Knob& knob, const Value& word) {
  return macro_name(knob.name + "_" + word.text());
}

size_t chosen_index(const Knob& knob, const Configuration& configuration) {
  const Value chosen = configuration.has(knob.name) ? configuration.at(knob.name) : knob.fallback;
  const size_t index = knob.index_of(chosen);
  if (index >= knob.values.size())
    throw Error(to_text(chosen) + " is no value of this knob", "knob " + knob.name);
  return index;
}

}  // namespace

Macros knob_macros(const SearchSpace& space, const Configuration& configuration) {
  Macros macros;
  NamedTexts owners;
  const auto add = [&](const Knob& knob, const std::string& name, const std::string& text) {
    // A second definition would silently change what the first means.
    const auto [row, is_new] = owners.emplace(name, knob.name);
    if (!is_new)
      throw Error("macro " + name + " would be defined twice, also by knob " + row->second,
                  "knob " + knob.name, "rename a knob or one of its values");
    macros.push_back({name, text});
  };
  for (const Knob& knob : space.knobs()) {
    if (knob.kind != Knob::Kind::compile) continue;
    const ValueList named = named_values(knob);
    for (const size_t i : indices(named))
      if (named[i].is_text()) add(knob, word_name(knob, named[i]), std::to_string(i));
    const Value& chosen = knob.values.at(chosen_index(knob, configuration));
    add(knob, macro_name(knob.name),
        chosen.is_text() ? word_name(knob, chosen) : number_text(knob, chosen));
  }
  return macros;
}

Texts definitions(const Macros& macros) {
  return members(macros, [](const Macro& macro) { return "-D" + macro.name + "=" + macro.text; });
}

std::string knob_header(const SearchSpace& space) {
  std::string text = fmt::format(
      "// The knobs of {} at their defaults, for editors: the build defines them itself.\n"
      "#pragma once\n",
      excerpt(space.name(), 200));
  for (const Macro& macro : knob_macros(space, space.baseline()))
    text += fmt::format("#define {} {}\n", macro.name, macro.text);
  return text;
}

Texts knob_flags(const SearchSpace& space, const Configuration& configuration) {
  Texts flags;
  for (const Knob& knob : space.knobs()) {
    if (knob.kind != Knob::Kind::flag) continue;
    for (const std::string& flag : knob.flags.at(chosen_index(knob, configuration))) {
      if (!allowed_flag(flag))
        throw Error("compiler flag \"" + flag + "\" is not allowed", "knob " + knob.name,
                    allowed_flags_hint);
      flags.push_back(flag);
    }
  }
  return flags;
}

std::string knob_compiler(const SearchSpace& space, const Configuration& configuration) {
  for (const Knob& knob : space.knobs())
    if (knob.kind == Knob::Kind::compiler && knob.values.size() > 1)
      return to_text(knob.values.at(chosen_index(knob, configuration)));
  return {};
}

Texts shell_words(const std::string& text, const std::string& where) {
  Texts words;
  std::string word;
  bool inside = false;  // '' is a word too
  char quote = 0;
  size_t opened = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote && c == quote) {
      quote = 0;
    } else if (!quote && (c == '\'' || c == '"')) {
      quote = c;
      opened = i;
      inside = true;
    } else if (!quote && std::isspace(uint8_t(c))) {
      if (inside) words.push_back(std::exchange(word, {}));
      inside = false;
    } else {
      const bool escapes = c == '\\' && i + 1 < text.size() &&
                           (!quote || (quote == '"' && std::string("\"\\$`").find(text[i + 1]) !=
                                                           std::string::npos));
      word += text[escapes ? ++i : i];
      inside = true;
    }
  }
  if (quote)
    throw Error("the quote " + excerpt(text.substr(opened)) + " is not closed", where,
                "write the closing quote, or \\ before a quote that is meant itself");
  if (inside) words.push_back(word);
  return words;
}

}  // namespace rooftune::build
