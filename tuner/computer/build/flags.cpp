// Compiler flags and macros from knobs; their text on the command line is made of letters and
// digits here.
#include "build/flags.h"

#include <fmt/format.h>

#include <map>

#include "core/error.h"
#include "space/allow_list.h"

namespace rooftune::build {
namespace {

std::string number_text(const Knob& knob, const Value& value) {
  if (value.is_bool()) return value.truth() ? "1" : "0";
  if (value.is_number()) return to_text(value);
  throw Error("value " + to_text(value) + " of a compile knob is neither number nor word",
              "knob " + knob.name);
}

/// Macro names of one configuration; a duplicate name would silently change the other's meaning.
class MacroTable {
 public:
  void add(const Knob& knob, const std::string& name, const std::string& text) {
    const auto [row, is_new] = owner_.emplace(name, knob.name);
    if (!is_new)
      throw Error("macro " + name + " would be defined twice, also by knob " + row->second,
                  "knob " + knob.name, "rename a knob or one of its values");
    macros_.push_back({name, text});
  }
  std::vector<Macro> take() { return std::move(macros_); }

 private:
  std::map<std::string, std::string> owner_;
  std::vector<Macro> macros_;
};

/// Values of the file. A source compares with all of them, also with those barred on this machine.
std::vector<Value> named_values(const Knob& knob) {
  std::vector<Value> named = knob.values;
  named.insert(named.end(), knob.barred.begin(), knob.barred.end());
  return named;
}

std::string word_name(const Knob& knob, const Value& word) {
  return macro_name(knob.name + "_" + word.text());
}

void add_macros(const Knob& knob, const Value& chosen, MacroTable& table) {
  const std::vector<Value> named = named_values(knob);
  for (std::size_t i = 0; i < named.size(); ++i)
    if (named[i].is_text()) table.add(knob, word_name(knob, named[i]), std::to_string(i));
  table.add(knob, macro_name(knob.name),
            chosen.is_text() ? word_name(knob, chosen) : number_text(knob, chosen));
}

std::size_t chosen_index(const Knob& knob, const Configuration& configuration) {
  const Value chosen = configuration.has(knob.name) ? configuration.at(knob.name) : knob.fallback;
  const std::size_t index = knob.index_of(chosen);
  if (index >= knob.values.size())
    throw Error(to_text(chosen) + " is no value of this knob", "knob " + knob.name);
  return index;
}

}  // namespace

std::vector<Macro> knob_macros(const SearchSpace& space, const Configuration& configuration) {
  MacroTable table;
  for (const Knob& knob : space.knobs())
    if (knob.kind == Knob::Kind::compile)
      add_macros(knob, knob.values.at(chosen_index(knob, configuration)), table);
  return table.take();
}

std::vector<std::string> definitions(const std::vector<Macro>& macros) {
  std::vector<std::string> flags;
  for (const Macro& macro : macros) flags.push_back("-D" + macro.name + "=" + macro.text);
  return flags;
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

std::vector<std::string> knob_flags(const SearchSpace& space, const Configuration& configuration) {
  std::vector<std::string> flags;
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

}  // namespace rooftune::build
