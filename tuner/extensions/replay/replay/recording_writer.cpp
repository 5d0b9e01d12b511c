// Writers of recorded spaces in the forms of the field, for use of others' and Rooftune's
// measurements anywhere. The caller writes the text, atomically.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/error.h"
#include "replay/recording_reader.h"

namespace rooftune::replay {
namespace {

/// The shortest milliseconds for a reader to turn into exactly these seconds again; the nearest
/// where rounding leaves none.
double milliseconds_of(double seconds) {
  constexpr double per_second = 1e3, per_millisecond = 1e-3;
  const double nearest = seconds * per_second;
  double best = nearest;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  double candidate = std::nextafter(std::nextafter(nearest, 0.0), 0.0);
  for (int step = 0; step < 5; ++step) {
    const bool exact = candidate * per_millisecond == seconds;
    const std::size_t length = exact ? fmt::formatted_size("{}", candidate) : fewest;
    if (length < fewest) {
      fewest = length;
      best = candidate;
    }
    candidate = std::nextafter(candidate, std::numeric_limits<double>::infinity());
  }
  return best;
}

Json milliseconds(const std::optional<double>& seconds) {
  return Json(seconds ? milliseconds_of(*seconds) : 0.0);
}

Json milliseconds(const std::vector<double>& all) {
  Json json = Json::array();
  for (const double seconds : all) json.push_back(milliseconds_of(seconds));
  return json;
}

std::string invalidity(const RecordedResult& result) {
  switch (result.outcome) {
    case Outcome::ok:
    case Outcome::unstable:
      return result.seconds ? "correct" : "runtime";
    case Outcome::build_failed:
      return "compile";
    case Outcome::timed_out:
      return "timeout";
    case Outcome::wrong_result:
      return "correctness";
    case Outcome::pruned:
      return "constraints";
    default:
      return "runtime";
  }
}

/// Kernel Tuner's word for a failure.
std::string failure_word(const RecordedResult& result) {
  for (const auto& [word, outcome] : cachefile_failures)
    if (outcome == result.outcome) return word;
  return "RuntimeFailedConfig";
}

bool ran(const RecordedResult& result) {
  return result.seconds && (result.outcome == Outcome::ok || result.outcome == Outcome::unstable);
}

Json configuration_json(const Recording& recording, const RecordedResult& result) {
  Json json = Json::object();
  for (const Knob& knob : recording.knobs)
    json[knob.name] = to_json(result.configuration.at(knob.name));
  return json;
}

Json t4_times(const RecordedResult& result) {
  Json times{{"compilation_time", milliseconds(result.build)},
             {"runtimes", milliseconds(result.runtimes)},
             {"framework", milliseconds(result.framework)},
             {"search_algorithm", milliseconds(result.search)},
             {"validation", milliseconds(result.validate)}};
  if (result.measure) times["benchmark"] = milliseconds(result.measure);
  if (result.rest.contains("times"))
    for (const auto& [key, value] : result.rest.at("times").items()) times[key] = value;
  return times;
}

Json t4_measurements(const RecordedResult& result) {
  Json all = Json::array();
  const std::string word = result.failure.empty() ? failure_word(result) : result.failure;
  all.push_back({{"name", "time"},
                 {"value", ran(result) ? milliseconds(result.seconds) : Json(word)},
                 {"unit", "ms"}});
  for (const Metric& metric : result.metrics)
    all.push_back({{"name", metric.name}, {"value", metric.value}, {"unit", metric.unit}});
  return all;
}

Json t4_result(const Recording& recording, const RecordedResult& result) {
  Json json = Json::object();
  if (!result.timestamp.empty()) json["timestamp"] = result.timestamp;
  json["configuration"] = configuration_json(recording, result);
  json["objectives"] =
      result.objectives.empty() ? Json{recording.objective} : Json(result.objectives);
  json["times"] = t4_times(result);
  json["invalidity"] = invalidity(result);
  if (result.outcome == Outcome::unstable || result.outcome == Outcome::out_of_memory)
    json[outcome_member] = to_text(result.outcome);
  json["correctness"] = result.correctness.value_or(ran(result) ? 1.0 : 0.0);
  json["measurements"] = t4_measurements(result);
  for (const auto& [key, value] : result.rest.items())
    if (key != "times") json[key] = value;
  return json;
}

/// As Python's str() prints it: Kernel Tuner joins these texts to keys.
std::string python_text(const Value& value) {
  if (value.is_bool()) return value.truth() ? "True" : "False";
  if (value.is_real() && std::abs(value.real()) < 1e15 && value.real() == std::trunc(value.real()))
    return std::to_string(static_cast<std::int64_t>(value.real())) + ".0";
  return to_text(value);
}

Json cache_entry(const Recording& recording, const RecordedResult& result) {
  Json entry = configuration_json(recording, result);
  if (ran(result)) {
    entry["time"] = milliseconds(result.seconds);
  } else {
    const std::string word = failure_word(result);
    entry["time"] = word;
    entry["__error__"] = word;
    if (!result.failure.empty() && result.failure != word) entry[failure_member] = result.failure;
  }
  if (!result.runtimes.empty()) entry["times"] = milliseconds(result.runtimes);
  const bool implied = result.outcome == Outcome::ok || result.outcome == Outcome::build_failed ||
                       result.outcome == Outcome::pruned || result.outcome == Outcome::crashed;
  if (!implied) entry[outcome_member] = to_text(result.outcome);
  for (const Metric& metric : result.metrics)
    if (!entry.contains(metric.name)) {
      entry[metric.name] = metric.value;
      if (!metric.unit.empty()) entry[units_member][metric.name] = metric.unit;
    }
  for (const auto& [key, value] : result.rest.items())
    if (!entry.contains(key)) entry[key] = value;
  entry["compile_time"] = milliseconds(result.build);
  entry["verification_time"] = milliseconds(result.validate);
  entry["benchmark_time"] = milliseconds(result.measure);
  entry["strategy_time"] = milliseconds(result.search);
  entry["framework_time"] = milliseconds(result.framework);
  // Readers parse the time stamp: an unknown one is the epoch, not an empty text.
  entry["timestamp"] = result.timestamp.empty() ? "1970-01-01 00:00:00+00:00" : result.timestamp;
  return entry;
}

Json values_json(const Recording& recording) {
  Json values = Json::object();
  for (const Knob& knob : recording.knobs) {
    values[knob.name] = Json::array();
    for (const Value& value : knob.values) values[knob.name].push_back(to_json(value));
  }
  return values;
}

/// T4 has no list of values: values without a result would be lost.
bool has_untried_values(const Recording& recording) {
  return std::any_of(recording.knobs.begin(), recording.knobs.end(), [&](const Knob& knob) {
    std::set<Value> tried;
    for (const RecordedResult& result : recording.results)
      tried.insert(result.configuration.at(knob.name));
    return tried.size() < knob.values.size();
  });
}

/// Members of T4's metadata without one in a cachefile.
Json other_metadata(const Recording& recording) {
  Json metadata = recording.rest.value("metadata", Json::object());
  if (metadata.is_object())
    for (const char* key : {"timeunit", "device", "kernel", "problem_size", "tune_params"})
      metadata.erase(key);
  return metadata;
}

}  // namespace

std::string t4_text(const Recording& recording) {
  Json metadata = Json::object();
  if (const auto kept = recording.rest.find("metadata");
      kept != recording.rest.end() && kept->is_object())
    metadata = *kept;
  metadata["timeunit"] = "milliseconds";
  if (!recording.device.empty()) metadata["device"] = recording.device;
  if (!recording.kernel.empty()) metadata["kernel"] = recording.kernel;
  if (!recording.problem_size.is_null()) metadata["problem_size"] = recording.problem_size;
  if (has_untried_values(recording)) metadata["tune_params"] = values_json(recording);
  Json results = Json::array();
  for (const RecordedResult& result : recording.results)
    results.push_back(t4_result(recording, result));
  Json all{{"schema_version", "1.0.0"}, {"metadata", metadata}};
  for (const auto& [key, value] : recording.rest.items())
    if (recording.format == "T4" && key != "metadata") all[key] = value;
  all["results"] = results;
  return json_text(all, 1) + "\n";
}

std::string cachefile_text(const Recording& recording) {
  Json names = Json::array();
  for (const Knob& knob : recording.knobs) names.push_back(knob.name);
  // The keys of the head are on lines of their own and "cache" is last: its tail can be appended
  // to.
  std::string text = "{\n";
  const auto member = [&](const char* key, const Json& json) {
    text += json_text(Json(key)) + ": " + json_text(json) + ",\n";
  };
  member("device_name", recording.device.empty() ? "unknown" : recording.device);
  member("kernel_name", recording.kernel.empty() ? "unknown" : recording.kernel);
  member("problem_size",
         recording.problem_size.is_null() ? Json("unknown") : recording.problem_size);
  member("tune_params_keys", names);
  member("tune_params", values_json(recording));
  member("objective", recording.objective);
  for (const auto& [key, value] : recording.rest.items())
    if (key != "metadata") member(key.c_str(), value);
  if (const Json metadata = other_metadata(recording); !metadata.empty())
    member("metadata", metadata);
  text += "\"cache\": {";
  bool first = true;
  std::set<std::string> keys;
  for (const RecordedResult& result : recording.results) {
    std::string key;
    for (const Knob& knob : recording.knobs)
      key += (key.empty() && &knob == &recording.knobs.front() ? "" : ",") +
             python_text(result.configuration.at(knob.name));
    if (!keys.insert(key).second)
      throw Error(
          fmt::format("two configurations have the same key in a cachefile: \"{}\"", excerpt(key)),
          {}, "texts with commas do not fit; use --format t4");
    text += first ? "\n" : ",\n";
    text += json_text(Json(key)) + ": " + json_text(cache_entry(recording, result));
    first = false;
  }
  return text + "}\n}\n";
}

const std::vector<RecordingFormat>& recording_formats() {
  static const std::vector<RecordingFormat> rows{
      {"t4", "T4 results of the autotuning community, with every trial", t4_text},
      {"cachefile", "Kernel Tuner cachefile for its simulation mode and dashboard", cachefile_text},
  };
  return rows;
}

}  // namespace rooftune::replay
