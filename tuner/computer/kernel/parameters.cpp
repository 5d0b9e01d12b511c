// Problem parameters as a user writes them: 2e6, 16Mi, fem, ../a.mtx.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/list.h"
#include "core/number.h"
#include "core/text.h"
#include "core/units.h"
#include "kernel/manifest_reader.h"

namespace rooftune::kernel {
namespace {

const char* type_text(Parameter::Type type) {
  static constexpr const char* texts[] = {"a whole number (250000, 2e6, 16Mi)", "a number",
                                          "a word", "a file"};
  return texts[size_t(type)];
}

/// A number with an optional size prefix (16Mi); nullopt when `text` is none or not finite.
std::optional<double> number(const std::string& text) {
  std::string_view prefix = text;
  const auto mantissa = take_number<double>(prefix);
  const auto scale = prefix_factor(prefix);
  if (!mantissa || !scale || !std::isfinite(*mantissa * *scale)) return std::nullopt;
  return *mantissa * *scale;
}

std::optional<int64_t> whole(const std::string& text) {
  if (const auto exact = number_in<int64_t>(text)) return exact;
  const auto real = number(text);
  // Beyond 2^53 a double no longer holds every integer: the intended one is unknown.
  if (!real || *real != std::floor(*real) || std::abs(*real) > 9007199254740992.0)
    return std::nullopt;
  return int64_t(*real);
}

void check_range(const Parameter& parameter, double value, const std::string& text) {
  if ((!parameter.min || value >= *parameter.min) && (!parameter.max || value <= *parameter.max))
    return;
  const std::string low = parameter.min ? fmt::format("{:.15g}", *parameter.min) : "";
  const std::string high = parameter.max ? fmt::format("{:.15g}", *parameter.max) : "";
  throw Error(text + " is out of range", {},
              low.empty()    ? "at most " + high
              : high.empty() ? "at least " + low
                             : "from " + low + " to " + high);
}

void check_choice(const Parameter& parameter, const std::string& text) {
  if (parameter.choices.empty()) return;
  for (const std::string& choice : parameter.choices)
    if (choice == text) return;
  throw Error("\"" + text + "\" is none of the choices", {}, did_you_mean(text, parameter.choices));
}

/// The file named by a parameter, absolute; an empty name means "no file" and stays empty.
Value existing_file(const std::string& text, const fs::path& directory) {
  if (text.empty()) return Value(text);
  const fs::path given(text);
  const auto path =
      fs::absolute(given.is_absolute() ? given : directory / given).lexically_normal();
  std::error_code fault;
  const auto status = fs::status(path, fault);
  if (!fs::exists(status)) throw Error("there is no file " + path.string());
  if (fs::is_directory(status)) throw Error(path.string() + " is a directory, not a file");
  if (!fs::is_regular_file(status))
    throw Error(path.string() + " is a pipe or a device, not a file");
  if (plain_text(path.string()) != path.string())
    throw Error(path.string() + " has characters in its name that are not printed");
  return Value(path.string());
}

std::string usage(const Parameter& parameter) {
  return "--problem " + parameter.name + "=... takes " + type_text(parameter.type) +
         (parameter.doc.empty() ? "" : ": " + parameter.doc);
}

void check_names(const Kernel& kernel, const Facts& chosen, Faults& faults) {
  Texts names = members(kernel.parameters, &Parameter::name);
  for (const auto& [name, value] : chosen) {
    if (contains(names, name)) continue;
    const std::string all = joined(names);
    faults.add("--problem " + name, "kernel " + kernel.name + " has no parameter \"" + name + "\"",
               did_you_mean(name, names, "it has " + (all.empty() ? "none" : all)));
  }
}

}  // namespace

Value parameter_value(const Parameter& parameter, const std::string& text) {
  switch (parameter.type) {
    case Parameter::Type::integer: {
      const auto value = whole(text);
      // 1e18 is whole; its fault is its size.
      if (const auto real = number(text); !value && real) check_range(parameter, *real, text);
      if (!value)
        throw Error("\"" + text + "\" is no whole number of 64 bits", {},
                    "250000, 2e6 and 16Mi are");
      check_range(parameter, double(*value), text);
      return Value(*value);
    }
    case Parameter::Type::real: {
      const auto value = number(text);
      if (!value) throw Error("\"" + text + "\" is no finite number");
      check_range(parameter, *value, text);
      return Value(*value);
    }
    case Parameter::Type::text:
    case Parameter::Type::file:
      check_choice(parameter, text);
  }
  return Value(text);
}

/// A value from a plan or a program has its type already; a shell gives text.
static Value chosen_value(const Parameter& parameter, const Value& value) {
  return parameter_value(parameter, value.is_text() ? value.text() : to_text(value));
}

Facts problem_parameters(const Kernel& kernel, const Facts& chosen, MachineKind on) {
  Faults faults;
  check_names(kernel, chosen, faults);
  Facts facts;
  for (const Parameter& parameter : kernel.parameters) {
    const auto* choice = value_at(chosen, parameter.name);
    const std::string place = "--problem " + parameter.name;
    if (!choice && parameter.required) {
      faults.add(place, "kernel " + kernel.name + " needs this parameter", usage(parameter));
      continue;
    }
    try {
      const Value& fallback = on == MachineKind::gpu && parameter.gpu_fallback
                                  ? *parameter.gpu_fallback
                                  : parameter.fallback;
      Value value = choice ? chosen_value(parameter, *choice) : fallback;
      if (parameter.type == Parameter::Type::file)
        // A default belongs to the kernel's author, a choice to the person at the terminal.
        value = existing_file(value.text(), choice ? fs::current_path() : kernel.folder);
      facts[parameter.name] = value;
    } catch (const Error& error) {
      faults.add(place, error.message(), error.hint().empty() ? usage(parameter) : error.hint());
    }
  }
  faults.raise();
  return facts;
}

}  // namespace rooftune::kernel
