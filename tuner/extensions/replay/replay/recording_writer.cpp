// Writers of recorded spaces in the forms of the field, for use of others' and Rooftune's
// measurements anywhere. The caller writes the text, atomically.

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "core/error.h"
#include "replay/recording_reader.h"

namespace rooftune::replay {
namespace {

/// Milliseconds that a reader turns into exactly these seconds again; the nearest where rounding
/// leaves none.
double milliseconds_of(double seconds) {
  const double nearest = seconds * 1e3;
  for (const double one :
       {nearest, std::nextafter(nearest, 0.0), std::nextafter(nearest, HUGE_VAL)})
    if (one * 1e-3 == seconds) return one;
  return nearest;
}

Json milliseconds(const std::optional<double>& seconds) {
  return Json(seconds ? milliseconds_of(*seconds) : 0.0);
}

Json milliseconds(const std::vector<double>& all) {
  Json json = Json::array();
  for (const double seconds : all) json.push_back(milliseconds_of(seconds));
  return json;
}

bool ran(const RecordedResult& result) {
  return result.seconds && (result.outcome == Outcome::ok || result.outcome == Outcome::unstable);
}

std::string invalidity(const RecordedResult& result) {
  if (ran(result)) return "correct";
  for (const auto& [word, outcome] : t4_outcomes)
    if (outcome == result.outcome && outcome != Outcome::ok) return word;
  return "runtime";
}

/// Kernel Tuner's word for a failure.
std::string failure_word(const RecordedResult& result) {
  for (const auto& [word, outcome] : cachefile_failures)
    if (outcome == result.outcome) return word;
  return "RuntimeFailedConfig";
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
  json["objectives"] = Json{recording.objective};
  json["times"] = t4_times(result);
  json["invalidity"] = invalidity(result);
  if (result.outcome == Outcome::unstable || result.outcome == Outcome::out_of_memory)
    json[outcome_member] = to_text(result.outcome);
  json["correctness"] = ran(result) ? 1 : 0;
  json["measurements"] = t4_measurements(result);
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
    entry["time"] = entry["__error__"] = failure_word(result);
  }
  if (!result.runtimes.empty()) entry["times"] = milliseconds(result.runtimes);
  const bool implied = result.outcome == Outcome::ok || result.outcome == Outcome::build_failed ||
                       result.outcome == Outcome::pruned || result.outcome == Outcome::crashed;
  if (!implied) entry[outcome_member] = to_text(result.outcome);
  for (const Metric& metric : result.metrics)
    if (!entry.contains(metric.name)) entry[metric.name] = metric.value;
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

}  // namespace

std::string t4_text(const Recording& recording) {
  Json metadata{{"timeunit", "milliseconds"}};
  if (!recording.device.empty()) metadata["device"] = recording.device;
  if (!recording.kernel.empty()) metadata["kernel"] = recording.kernel;
  if (!recording.problem_size.is_null()) metadata["problem_size"] = recording.problem_size;
  Json results = Json::array();
  for (const RecordedResult& result : recording.results)
    results.push_back(t4_result(recording, result));
  return json_text({{"schema_version", "1.0.0"}, {"metadata", metadata}, {"results", results}}, 1) +
         "\n";
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
