#include "space/knob.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/error.h"

namespace rooftune::space {
namespace {

bool consists_of(const std::string& text, const char* characters) {
  return !text.empty() && text.find_first_not_of(characters) == std::string::npos;
}

constexpr const char* name_text = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
constexpr const char* macro_text =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-.";
constexpr const char* variable_text =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-.,:(){}";

/// Allows one of the words, integers of the range, or with neither truths.
struct SettingRow {
  Knob::Kind kind;
  const char* word;
  const char* expected;
  std::array<const char*, 4> words = {};
  std::int64_t least = 0, most = -1, step = 1;

  bool allows(const Value& value) const {
    if (words.front())
      return value.is_text() && std::any_of(words.begin(), words.end(), [&](const char* one) {
               return one && value.text() == one;
             });
    if (most < least) return value.is_bool();
    return value.is_integer() && least <= value.integer() && value.integer() <= most &&
           value.integer() % step == 0;
  }
};
constexpr std::array<SettingRow, 8> setting_rows{{
    {Knob::Kind::openmp, threads_setting, "an integer from 1 to 65536", {}, 1, 65536},
    {Knob::Kind::openmp,
     "schedule",
     "static, dynamic, guided or auto",
     {"static", "dynamic", "guided", "auto"}},
    {Knob::Kind::openmp, "chunk", "an integer, 0 for the default chunk", {}, 0, INT32_MAX},
    {Knob::Kind::memory, "huge_pages", "true or false"},
    {Knob::Kind::memory, "first_touch", "serial or parallel", {"serial", "parallel"}},
    {Knob::Kind::memory, "numa_policy", "local or interleave", {"local", "interleave"}},
    {Knob::Kind::memory, "memory_tier", "default or fast", {"default", "fast"}},
    {Knob::Kind::memory, "offset", "bytes, a multiple of 8", {}, 0, INT64_MAX, 8},
}};

/// Empty for a valid value, else the expected kind of value.
std::string expected_by_setting(const Knob& knob, const Value& value) {
  for (const SettingRow& row : setting_rows)
    if (row.kind == knob.kind && row.word == knob.setting)
      return row.allows(value) ? "" : row.expected;
  return "";
}

std::string expected_by_kind(const Knob& knob, const Value& value) {
  switch (knob.kind) {
    case Knob::Kind::compile:
      return !value.is_text() || consists_of(value.text(), macro_text)
                 ? ""
                 : "letters, digits and _ + - . (it becomes a macro)";
    case Knob::Kind::environment:
      return consists_of(to_text(value), variable_text) ? ""
                                                        : "letters, digits and _ + - . , : ( ) { }";
    default:
      return expected_by_setting(knob, value);
  }
}

}  // namespace

std::size_t Knob::index_of(const Value& value) const {
  return static_cast<std::size_t>(std::find(values.begin(), values.end(), value) - values.begin());
}

const Knob* thread_knob(const std::vector<Knob>& knobs) {
  const auto found = std::find_if(knobs.begin(), knobs.end(), [](const Knob& knob) {
    return knob.kind == Knob::Kind::openmp && knob.setting == threads_setting;
  });
  return found == knobs.end() ? nullptr : &*found;
}

double cartesian_size(const std::vector<Knob>& knobs) {
  double product = 1;
  for (const Knob& knob : knobs) product *= static_cast<double>(knob.values.size());
  return product;
}

Json facts_json(const Facts& facts) {
  Json json = Json::object();
  for (const auto& [name, value] : facts) json[name] = to_json(value);
  return json;
}

std::vector<std::string> settings_of(Knob::Kind kind) {
  std::vector<std::string> words;
  for (const SettingRow& row : setting_rows)
    if (row.kind == kind) words.emplace_back(row.word);
  return words;
}

std::vector<ValueFault> value_faults(const Knob& knob) {
  std::vector<ValueFault> faults;
  for (const Value& value : knob.values) {
    const std::string expected = expected_by_kind(knob, value);
    if (!expected.empty())
      faults.push_back({fmt::format("value {} is not allowed here", excerpt(to_text(value))),
                        "expected " + expected});
  }
  return faults;
}

std::string name_fault(const std::string& name) {
  const bool starts_right = !name.empty() && name[0] != '_' && (name[0] < '0' || name[0] > '9');
  if (!starts_right || !consists_of(name, name_text))
    return "a name starts with a letter and has only letters, digits and _";
  for (const char* word : {"and", "or", "not", "in", "if", "else", "is", "for", "lambda", "true",
                           "True", "false", "False", "pi"})
    if (name == word) return "the name is a word of the expression language";
  return {};
}

std::string macro_name(const std::string& name) {
  std::string macro = "KNOB_";
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    if (letter)
      macro += static_cast<char>(c & ~0x20);
    else
      macro += digit ? c : '_';
  }
  return macro;
}

}  // namespace rooftune::space
