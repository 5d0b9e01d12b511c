// Exporters for users outside C++: Fortran, CMake, a shell, and the libraries of the field.
#include <fmt/format.h>

#include <set>

#include "core/text.h"
#include "kernel/manifest_reader.h"
#include "report/exporter.h"
#include "report/figures.h"

namespace rooftune::report {
namespace {

/// Capitals, digits and _; equal results for different names get a number.
class Identifiers {
 public:
  std::string of(const std::string& text) {
    std::string word;
    for (const char c : text)
      word += std::isalnum(static_cast<unsigned char>(c)) != 0
                  ? static_cast<char>(std::toupper(static_cast<unsigned char>(c)))
                  : '_';
    std::string result = word;
    for (int more = 2; !taken_.insert(result).second; ++more)
      result = fmt::format("{}_{}", word, more);
    return result;
  }

 private:
  std::set<std::string> taken_;
};

std::string one_line(const std::string& text) {
  std::string line = plain_text(text);
  for (char& c : line)
    if (c == '\n' || c == '\t') c = ' ';
  return line;
}

/// Source of the values, the same in every form, each line behind `mark`.
std::string provenance(const BestConfiguration& best, const std::string& mark) {
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += fmt::format("{} {:<9} {}\n", mark, name, one_line(value));
  };
  line("kernel",
       fmt::format("{} ({}), written by tune export", best.identity.kernel, best.identity.backend));
  line("problem", facts_text(best.problem));
  line("machine", fmt::format("{} (id {})", best.machine, best.machine_id));
  line("energy", energy_text(best));
  line("time", seconds_interval(best.seconds) + " per call");
  line("speed-up", best.speedup ? ratio_interval(*best.speedup) + " over the defaults" : "");
  if (best.bound.value() > 0) line("gap", ratio_interval(best.gap.total) + " from the bound");
  line("ceiling", list_text(best.ceilings));
  line("verdict", verdict_text(best));
  line("flags", fmt::format("{}", fmt::join(best.flags, " ")));
  for (const std::string& setting : settings_to_apply(best)) line("apply", setting);
  line("study", best.identity.id);
  line("date", best.identity.date);
  return text;
}

std::string scalar_text(const Value& value) {
  if (value.is_bool()) return value.truth() ? "1" : "0";
  return value.is_real() ? fmt::format("{}", value.real()) : to_text(value);
}

std::string fortran_value(const Value& value) {
  if (value.is_bool()) return value.truth() ? ".true." : ".false.";
  if (value.is_real()) {
    const std::string text = fmt::format("{}", value.real());
    return (text.find_first_of(".e") == std::string::npos ? text + ".0" : text) + "_real64";
  }
  if (!value.is_text()) return to_text(value) + "_int64";
  std::string text = "'";
  for (const char c : one_line(value.text()))
    text += c == '\'' ? std::string("''") : std::string(1, c);
  return text + "'";
}

const char* fortran_type(const Value& value) {
  if (value.is_bool()) return "logical";
  if (value.is_text()) return "character(*)";
  return value.is_real() ? "real(real64)" : "integer(int64)";
}

/// Names of Fortran begin with a letter and have 63 characters at most.
std::string fortran_name(Identifiers& names, const std::string& text) {
  std::string name = lower_case(names.of(text)).substr(0, 58);
  while (!name.empty() && name.front() == '_') name.erase(0, 1);
  return name.empty() || (name[0] >= '0' && name[0] <= '9') ? "k" + name : name;
}

/// A bracket argument of CMake, without escapes; with enough `=` to differ from the end of the
/// text.
std::string cmake_quoted(const std::string& text) {
  std::string equals = "=";
  // The closing bracket follows at once.
  while ((text + "]").find("]" + equals + "]") != std::string::npos) equals += '=';
  return "[" + equals + "[" + text + "]" + equals + "]";
}

template <class Line>
std::string lines_of(const BestConfiguration& best, const Line& line) {
  std::string text;
  for (const auto& [name, value] : best.configuration.values())
    if (!value.is_list()) text += line(name, value);
  return text;
}

std::string value_text(const Value& value) {
  return value.is_text() ? one_line(value.text()) : scalar_text(value);
}

/// The integers of a problem are its sizes.
std::vector<std::int64_t> sizes_of(const Facts& problem) {
  std::vector<std::int64_t> sizes;
  for (const auto& [name, value] : problem)
    if (value.is_number() && !value.is_real() && !value.is_bool()) sizes.push_back(value.integer());
  return sizes;
}

}  // namespace

std::string fortran_export(const BestConfiguration& best) {
  Identifiers modules;
  const std::string module = "rooftune_" + fortran_name(modules, best.identity.kernel);
  Identifiers names;
  std::string text = provenance(best, "!") + "module " + module +
                     "\n  use, intrinsic :: iso_fortran_env, only: int64, real64\n"
                     "  implicit none\n  public\n";
  text += lines_of(best, [&](const std::string& name, const Value& value) {
    // Long lines are continued: the language allows 132 characters.
    return fmt::format("  {}, parameter :: {} = &\n    {}\n", fortran_type(value),
                       fortran_name(names, "tuned_" + name), fortran_value(value));
  });
  return text + "end module " + module + "\n";
}

std::string cmake_export(const BestConfiguration& best) {
  Identifiers names;
  const std::string prefix = "ROOFTUNE_" + best.identity.kernel + "_";
  std::string text = provenance(best, "#") + "# cmake -C THIS_FILE ...\n";
  text += lines_of(best, [&](const std::string& name, const Value& value) {
    return fmt::format("set({} {} CACHE STRING \"tuned\" FORCE)\n", names.of(prefix + name),
                       cmake_quoted(value_text(value)));
  });
  if (!best.flags.empty())
    text += fmt::format("set({} {} CACHE STRING \"tuned\" FORCE)\n", names.of(prefix + "FLAGS"),
                        cmake_quoted(fmt::format("{}", fmt::join(best.flags, " "))));
  return text;
}

std::string environment_export(const BestConfiguration& best) {
  Identifiers names;
  const std::string prefix = "ROOFTUNE_" + best.identity.kernel + "_";
  std::string text = provenance(best, "#") + "# . THIS_FILE\n";
  for (const Knob& knob : best.knobs) {
    if (!best.configuration.has(knob.name)) continue;
    const std::string value = shell_quoted(value_text(best.configuration.at(knob.name)));
    if (knob.kind == Knob::Kind::environment && is_identifier(knob.setting))
      text += fmt::format("export {}={}\n", knob.setting, value);
    if (knob.kind == Knob::Kind::openmp && knob.setting == "threads")
      text += fmt::format("export OMP_NUM_THREADS={}\n", value);
  }
  return text + lines_of(best, [&](const std::string& name, const Value& value) {
           return fmt::format("export {}={}\n", names.of(prefix + name),
                              shell_quoted(value_text(value)));
         });
}

std::string wisdom_export(const BestConfiguration& best) {
  Json parameters = Json::array(), values = Json::array();
  for (const auto& [name, value] : best.configuration.values()) {
    if (value.is_list()) continue;
    parameters.push_back(name);
    values.push_back(to_json(value));
  }
  const Json header{{"version", "1.0"},
                    {"objective", best.ranked_by == Figure::energy ? "energy" : "time"},
                    {"tunable_parameters", parameters},
                    {"key", best.identity.kernel}};
  const Json record{{"config", values},
                    {"problem_size", sizes_of(best.problem)},
                    {"time", best.seconds.value},
                    {"environment",
                     {{"device_name", best.machine_class.model},
                      {"date", best.identity.date},
                      {"rooftune_version", best.identity.version},
                      {"study", best.identity.id}}}};
  return json_text(header) + '\n' + json_text(record) + '\n';
}

std::string kernel_tuner_export(const BestConfiguration& best) {
  Identifiers names, targets;
  const std::string target = targets.of("TARGET_" + best.machine_class.model);
  std::string text = provenance(best, "//") + "#pragma once\n#ifndef kernel_tuner\n";
  std::string block;
  block += lines_of(best, [&](const std::string& name, const Value& value) {
    if (value.is_text()) return std::string();
    // The names of the knobs as they are: sources for Kernel Tuner use them so.
    return is_identifier(name) ? fmt::format("#define {} {}\n", name, scalar_text(value))
                               : std::string();
  });
  return text + "#ifdef " + target + "\n" + block + "#else /* default configuration */\n" + block +
         "#endif\n#endif\n";
}

}  // namespace rooftune::report
