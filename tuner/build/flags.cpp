// Compiler flags and macros from knobs; what reaches the command line is made of letters and digits
// here.
#include "build/flags.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "core/error.h"

namespace rooftune {
namespace {

bool has_only(const std::string& text, const std::string& marks) {
  return std::all_of(text.begin(), text.end(), [&](unsigned char c) {
    return std::isalnum(c) || marks.find(static_cast<char>(c)) != std::string::npos;
  });
}

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
  for (std::size_t i = 0; i < knob.values.size(); ++i)
    if (knob.values[i].is_text())
      table.add(knob, name + "_" + as_identifier(knob.values[i].text()), std::to_string(i));
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

bool is_allowed_flag(const std::string& flag) {
  static const std::vector<std::string> levels = {"-O0", "-O1", "-O2",   "-O3",
                                                  "-Os", "-Og", "-Ofast"};
  if (std::find(levels.begin(), levels.end(), flag) != levels.end()) return true;
  if (flag.size() < 3 || flag[0] != '-' || (flag[1] != 'f' && flag[1] != 'm')) return false;
  const std::size_t equals = std::min(flag.find('='), flag.size());
  if (!has_only(flag.substr(1, equals - 1), "-.")) return false;
  if (equals < flag.size() && !has_only(flag.substr(equals + 1), "-._,+")) return false;
  // These load code, write files, or change what is linked.
  static const std::vector<std::string> refused = {"-fplugin",        "-fpass-plugin",
                                                   "-fdump",          "-fuse-ld",
                                                   "-fprofile",       "-fsanitize",
                                                   "-fauto-profile",  "-fopt-info",
                                                   "-fmodule",        "-fsave-optimization-record",
                                                   "-fcallgraph",     "-fstack-usage",
                                                   "-fcompare-debug", "-fcoverage",
                                                   "-ftest-coverage", "-fmacro-prefix-map",
                                                   "-fsyntax-only",   "-fbuild-session",
                                                   "-fcs-profile",    "-mllvm",
                                                   "-mthinlto",       "-fthinlto",
                                                   "-fembed",         "-fopenmp-targets",
                                                   "-foffload"};
  return std::none_of(refused.begin(), refused.end(),
                      [&](const std::string& start) { return flag.rfind(start, 0) == 0; });
}

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
      if (!is_allowed_flag(flag))
        throw Error("compiler flag \"" + flag + "\" is not allowed", "knob " + knob.name,
                    "-O*, -f* and -m* flags that name no file are");
      flags.push_back(flag);
    }
  }
  return flags;
}

}  // namespace rooftune
