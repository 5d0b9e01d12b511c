// Compiler flags and macros from knobs; what reaches the command line is made of letters and digits
// here.
#include "build/flags.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "core/error.h"
#include "space/allow_list.h"

namespace rooftune {
namespace {

std::string as_identifier(const std::string& text) {
  std::string name;
  for (const unsigned char c : text)
    name += std::isalnum(c) ? static_cast<char>(std::toupper(c)) : '_';
  return name;
}

std::string number_text(const Knob& knob, const Value& value) {
  if (value.is_bool()) return value.truth() ? "1" : "0";
  if (value.is_number()) return to_text(value);
  throw Error("value " + to_text(value) + " of a compile knob is neither number nor word",
              "knob " + knob.name);
}

/// Macro names of one configuration; a name that comes twice would silently change the other's
/// meaning.
class MacroTable {
 public:
  void add(const Knob& knob, const std::string& name, const std::string& text) {
    const auto [row, is_new] = owner_.emplace(name, knob.name);
    if (!is_new)
      throw Error("macro " + name + " would be defined twice, also by knob " + row->second,
                  "knob " + knob.name, "rename a knob or one of its values");
    macros_.push_back("-D" + name + "=" + text);
  }
  std::vector<std::string> take() { return std::move(macros_); }

 private:
  std::map<std::string, std::string> owner_;
  std::vector<std::string> macros_;
};

void add_macros(const Knob& knob, const Value& chosen, MacroTable& table) {
  const std::string name = "KNOB_" + as_identifier(knob.name);
  // A source compares with every value of the file, also with those that this machine bars.
  std::vector<Value> named = knob.values;
  named.insert(named.end(), knob.barred.begin(), knob.barred.end());
  for (std::size_t i = 0; i < named.size(); ++i)
    if (named[i].is_text())
      table.add(knob, name + "_" + as_identifier(named[i].text()), std::to_string(i));
  table.add(
      knob, name,
      chosen.is_text() ? name + "_" + as_identifier(chosen.text()) : number_text(knob, chosen));
}

std::size_t chosen_index(const Knob& knob, const Configuration& configuration) {
  const std::size_t index = knob.index_of(configuration.at(knob.name));
  if (index >= knob.values.size())
    throw Error(to_text(configuration.at(knob.name)) + " is no value of this knob",
                "knob " + knob.name);
  return index;
}

}  // namespace

std::vector<std::string> knob_macros(const SearchSpace& space, const Configuration& configuration) {
  MacroTable table;
  for (const Knob& knob : space.knobs())
    if (knob.kind == Knob::Kind::compile)
      add_macros(knob, knob.values.at(chosen_index(knob, configuration)), table);
  return table.take();
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

}  // namespace rooftune
