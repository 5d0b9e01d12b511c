#include "kokkos/chosen_values.h"

#include <rooftune/rooftune.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace rooftune::kokkos {
namespace {

constexpr const char* values_variable = "ROOFTUNE_KOKKOS_VALUES";

bool is_set(const char* variable) {
  const char* const text = std::getenv(variable);
  return text && *text;
}

std::map<std::string, std::string> tried_values() {
  std::map<std::string, std::string> values;
  const char* const text = std::getenv(values_variable);
  std::string rest = text ? text : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    const std::string one = rest.substr(0, end);
    const std::size_t equals = one.find('=');
    if (equals != std::string::npos) values[one.substr(0, equals)] = one.substr(equals + 1);
    rest.erase(0, end + 1);
  }
  return values;
}

/// As `tune --command` calls a study: by the program's file.
std::string study_name() {
  if (const char* const name = std::getenv("ROOFTUNE_KOKKOS_STUDY"); name && *name) return name;
  char file[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", file, sizeof file);
  std::string name(file, length > 0 ? static_cast<std::size_t>(length) : 0);
  name.erase(0, name.rfind('/') + 1);
  if (const std::size_t dot = name.rfind('.'); dot != std::string::npos && dot > 0) name.erase(dot);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-') c = '_';
  name.erase(0, name.find_first_not_of("_-"));
  return name.empty() ? "command" : name;
}

/// Loaded at the first question, never freed: kernels may run in destructors.
const rooftune_exports* exports() {
  static const rooftune_exports* const loaded = [] {
    const rooftune_exports* const all = rooftune_load(nullptr);
    for (std::size_t i = 0; i < rooftune_fault_count(all); ++i)
      std::fprintf(stderr, "rooftune: %s\n", rooftune_fault(all, i));
    return all;
  }();
  return loaded;
}

std::optional<std::string> text_of(const rooftune_value& value) {
  char digits[32];
  if (value.kind == ROOFTUNE_TEXT) return value.text;
  if (value.kind == ROOFTUNE_REAL)
    std::snprintf(digits, sizeof digits, "%.17g", value.real);
  else
    std::snprintf(digits, sizeof digits, "%lld", static_cast<long long>(value.integer));
  return digits;
}

std::optional<std::string> exported_value(const std::string& kernel, const std::string& knob) {
  const rooftune_answer best = rooftune_look_up(exports(), kernel.c_str(), nullptr, nullptr, 0);
  for (std::size_t i = 0; i < rooftune_knob_count(&best); ++i)
    if (const rooftune_value value = rooftune_knob(&best, i); value.name == knob)
      return text_of(value);
  return std::nullopt;
}

}  // namespace

std::string knob_name(const std::string& variable) {
  std::string name = variable;
  for (char& c : name)
    c = std::isalnum(static_cast<unsigned char>(c))
            ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
            : '_';
  if (name.empty() || !std::isalpha(static_cast<unsigned char>(name.front())))
    name.insert(0, "kernel_");
  return name;
}

bool is_trial() { return std::getenv(values_variable) != nullptr; }
bool has_exports() { return is_set("ROOFTUNE_EXPORTS"); }

std::optional<std::string> chosen_value(const std::string& variable, const VariableName& name) {
  static const std::map<std::string, std::string> tried = tried_values();
  const std::string knob = knob_name(variable);
  std::optional<std::string> value;
  if (is_trial()) {
    if (const auto found = tried.find(knob); found != tried.end()) value = found->second;
  } else if (has_exports()) {
    value = exported_value(study_name(), knob);
    if (!value && name.role != Role::other)
      value = exported_value(name.kernel, knob_name(variable.substr(name.kernel.size() + 1)));
  }
  return value == own_choice ? std::nullopt : value;
}

}  // namespace rooftune::kokkos
