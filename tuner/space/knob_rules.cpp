// What the kind and setting of a knob allow as its name and values.
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "space/space_reader.h"

namespace rooftune {
namespace {

bool consists_of(const std::string& text, const char* characters) {
  return !text.empty() && text.find_first_not_of(characters) == std::string::npos;
}

constexpr const char* lower_case = "abcdefghijklmnopqrstuvwxyz0123456789_";
constexpr const char* macro_text =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-.";
constexpr const char* variable_text =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-.,:(){}";

/// Each value must be one of some texts.
bool one_of(const Value& value, const std::vector<std::string>& words) {
  return value.is_text() && std::find(words.begin(), words.end(), value.text()) != words.end();
}

/// Empty when the value is fine, else what it should be.
std::string expected_by_openmp(const std::string& setting, const Value& value) {
  if (setting == "threads")
    return value.is_integer() && value.integer() >= 1 && value.integer() <= 65536
               ? ""
               : "an integer from 1 to 65536";
  if (setting == "chunk")
    return value.is_integer() && value.integer() >= 0 && value.integer() <= INT32_MAX
               ? ""
               : "an integer, 0 for the default chunk";
  if (setting == "schedule")
    return one_of(value, {"static", "dynamic", "guided", "auto"})
               ? ""
               : "static, dynamic, guided or auto";
  return "";
}

std::string expected_by_memory(const std::string& setting, const Value& value) {
  if (setting == "huge_pages") return value.is_bool() ? "" : "true or false";
  if (setting == "first_touch")
    return one_of(value, {"serial", "parallel"}) ? "" : "serial or parallel";
  if (setting == "numa_policy")
    return one_of(value, {"local", "interleave"}) ? "" : "local or interleave";
  if (setting == "memory_tier") return one_of(value, {"default", "fast"}) ? "" : "default or fast";
  if (setting == "offset")
    return value.is_integer() && value.integer() >= 0 && value.integer() % 8 == 0
               ? ""
               : "bytes, a multiple of 8";
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
    case Knob::Kind::openmp:
      return expected_by_openmp(knob.setting, value);
    case Knob::Kind::memory:
      return expected_by_memory(knob.setting, value);
    default:
      return "";
  }
}

}  // namespace

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
  const bool lower = consists_of(name, lower_case) && name[0] >= 'a' && name[0] <= 'z';
  if (!lower) return "a name starts with a-z and has only a-z, 0-9 and _";
  for (const char* word :
       {"and", "or", "not", "in", "if", "else", "is", "for", "lambda", "true", "false", "pi"})
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

}  // namespace rooftune
