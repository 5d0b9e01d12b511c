#include "runtime/best_configuration.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "core/error.h"
#include "core/json.h"

namespace rooftune::inline runtime {
namespace {

constexpr const char* export_schema = "rooftune-export-1";
/// One configuration is kept for each: a study has a handful.
constexpr std::size_t most_problems = 1000;

std::optional<RuntimeValue> runtime_value(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  return std::nullopt;
}

/// Members that are no plain value (lists) are left out: an application could not use them.
RuntimeValues runtime_values(const Json& json) {
  RuntimeValues values;
  if (json.is_object())
    for (const auto& [name, member] : json.items())
      if (const auto value = runtime_value(member)) values[name] = *value;
  return values;
}

std::string text_of(const Json& json, const char* key) {
  const auto member = json.find(key);
  return member != json.end() && member->is_string() ? member->get<std::string>() : std::string();
}

std::optional<double> number_of(const RuntimeValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? 1 : 0;
  return std::nullopt;
}

/// How far one problem is from another: what no logarithm can compare counts before what one can.
struct Distance {
  int different = 0;
  double logarithms = 0;
  std::size_t shared = 0;  ///< what serves fewer problems fits each better
  auto operator<=>(const Distance&) const = default;
};

Distance distance(const RuntimeValues& wanted, const RuntimeValues& tuned) {
  Distance result;
  for (const auto& [name, value] : wanted) {
    const auto other = tuned.find(name);
    if (other == tuned.end()) {
      ++result.different;
      continue;
    }
    const auto a = number_of(value), b = number_of(other->second);
    if (a && b && *a > 0 && *b > 0)
      result.logarithms += std::abs(std::log(*a / *b));
    else if ((a && b) ? *a != *b : value != other->second)
      ++result.different;
  }
  return result;
}

}  // namespace

const char* to_text(TunedConfiguration::Match match) {
  switch (match) {
    case TunedConfiguration::Match::exact:
      return "exact";
    case TunedConfiguration::Match::other_problem:
      return "other problem";
    case TunedConfiguration::Match::other_machine:
      return "other machine";
    case TunedConfiguration::Match::defaults:
      return "defaults";
  }
  return "";
}

std::int64_t TunedConfiguration::integer(const std::string& knob, std::int64_t fallback) const {
  const auto found = values.find(knob);
  if (found == values.end()) return fallback;
  const auto* value = std::get_if<std::int64_t>(&found->second);
  return value ? *value : fallback;
}

double TunedConfiguration::real(const std::string& knob, double fallback) const {
  const auto found = values.find(knob);
  if (found == values.end() || std::holds_alternative<bool>(found->second)) return fallback;
  return number_of(found->second).value_or(fallback);
}

bool TunedConfiguration::truth(const std::string& knob, bool fallback) const {
  const auto found = values.find(knob);
  if (found == values.end()) return fallback;
  const auto* value = std::get_if<bool>(&found->second);
  return value ? *value : fallback;
}

std::string TunedConfiguration::text(const std::string& knob, const std::string& fallback) const {
  const auto found = values.find(knob);
  if (found == values.end()) return fallback;
  const auto* value = std::get_if<std::string>(&found->second);
  return value ? *value : fallback;
}

void TunedConfigurations::add_file(const std::string& file) {
  try {
    const Json json = read_json(file);
    if (!json.is_object() || text_of(json, "schema") != export_schema) {
      faults_.push_back(file + ": no " + export_schema + " document");
      return;
    }
    Export entry;
    entry.kernel = text_of(json, "kernel");
    const Json machine = json.value("machine", Json::object());
    if (machine.is_object()) {
      entry.machine = text_of(machine, "name");
      entry.machine_id = text_of(machine, "id");
    }
    const Json provenance = json.value("provenance", Json::object());
    if (provenance.is_object()) entry.study = text_of(provenance, "study");
    entry.problem = runtime_values(json.value("problem", Json::object()));
    entry.values = runtime_values(json.value("configuration", Json::object()));
    if (entry.kernel.empty() || entry.values.empty()) {
      faults_.push_back(file + ": names no kernel or no configuration");
      return;
    }
    const Json problems = json.value("problems", Json::array());
    entry.shared = problems.is_array() ? problems.size() : 0;
    if (entry.shared > most_problems) {
      faults_.push_back(file + ": names more than " + std::to_string(most_problems) + " problems");
      return;
    }
    if (entry.shared == 0) exports_.push_back(entry);
    for (std::size_t i = 0; i < entry.shared; ++i) {
      entry.problem = runtime_values(problems[i]);
      exports_.push_back(entry);
    }
  } catch (const std::exception& error) {
    faults_.push_back(error.what());
  }
}

bool TunedConfigurations::add(const std::string& path) {
  const std::size_t before = faults_.size();
  std::error_code failed;
  if (!std::filesystem::is_directory(path, failed)) {
    add_file(path);
    return faults_.size() == before;
  }
  std::vector<std::string> files;
  for (std::filesystem::directory_iterator entry(path, failed), end; !failed && entry != end;
       entry.increment(failed))
    if (entry->path().extension() == ".json") files.push_back(entry->path().string());
  if (failed) faults_.push_back(path + ": " + failed.message());
  // The order of a directory is no order: the answer must not depend on it.
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) add_file(file);
  return faults_.size() == before;
}

TunedConfiguration TunedConfigurations::find(const std::string& kernel, const std::string& machine,
                                             const RuntimeValues& problem,
                                             const RuntimeValues& defaults) const {
  const Export* best = nullptr;
  bool best_here = false;
  Distance best_distance;
  for (const Export& entry : exports_) {
    if (entry.kernel != kernel) continue;
    const bool here = machine.empty() || machine == entry.machine_id || machine == entry.machine;
    Distance far = distance(problem, entry.problem);
    far.shared = entry.shared;
    if (best && (here != best_here ? best_here : far >= best_distance)) continue;
    best = &entry;
    best_here = here;
    best_distance = far;
  }
  TunedConfiguration answer;
  answer.values = defaults;
  if (!best) {
    answer.reason = "no export of kernel \"" + kernel + "\"";
    return answer;
  }
  for (const auto& [knob, value] : best->values) answer.values[knob] = value;
  answer.machine = best->machine;
  answer.study = best->study;
  if (!best_here) {
    answer.match = TunedConfiguration::Match::other_machine;
    answer.reason = "tuned on machine " + best->machine + ", asked for " + machine;
  } else if (best_distance.different > 0 || best_distance.logarithms > 0) {
    answer.match = TunedConfiguration::Match::other_problem;
    answer.reason = "tuned for another problem";
  } else {
    answer.match = TunedConfiguration::Match::exact;
  }
  return answer;
}

}  // namespace rooftune::inline runtime
