// The exporter for shells.
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
  std::string identifier(const std::string& text) {
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

/// Source of the values, as comments.
std::string provenance_comment(const BestConfiguration& best) {
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += fmt::format("# {:<9} {}\n", name, one_line(value));
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

std::string value_text(const Value& value) {
  return value.is_text() ? one_line(value.text()) : scalar_text(value);
}

}  // namespace

std::string environment_export(const BestConfiguration& best) {
  Identifiers names;
  const std::string prefix = "ROOFTUNE_" + best.identity.kernel + "_";
  std::string text = provenance_comment(best) + "# . THIS_FILE\n";
  for (const Knob& knob : best.knobs) {
    if (!best.configuration.has(knob.name)) continue;
    const std::string value = shell_quoted(value_text(best.configuration.at(knob.name)));
    if (knob.kind == Knob::Kind::environment && is_identifier(knob.setting))
      text += fmt::format("export {}={}\n", knob.setting, value);
    if (knob.kind == Knob::Kind::openmp && knob.setting == "threads")
      text += fmt::format("export OMP_NUM_THREADS={}\n", value);
  }
  for (const auto& [name, value] : best.configuration.values())
    if (!value.is_list())
      text += fmt::format("export {}={}\n", names.identifier(prefix + name),
                          shell_quoted(value_text(value)));
  return text;
}

}  // namespace rooftune::report
