// Recorded spaces: collects results, faults and values while reading, and writes the field's forms.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string_view>

#include "core/error.h"
#include "core/list.h"
#include "core/text.h"
#include "replay/recording_reader.h"
#include "space/knob.h"

namespace rooftune::replay {

Cost RecordedResult::cost() const {
  Cost cost{build.value_or(0), validate.value_or(0), measure.value_or(0), 0};
  cost.waiting = cost.build;
  cost.total = cost.build + cost.validate + cost.time + search.value_or(0) + framework.value_or(0);
  return cost;
}

SearchSpace Recording::space() const {
  return SearchSpace::of_configurations(kernel.empty() ? "recorded space" : kernel, knobs,
                                        members(results, &RecordedResult::configuration));
}

void Recording::deviates(const std::string& words) {
  // A hostile file has thousands of deviations, too many to read.
  constexpr size_t most_deviations = 50;
  if (deviations.size() > most_deviations || contains(deviations, words)) return;
  deviations.push_back(deviations.size() < most_deviations ? words : "more deviations follow");
}

Recording recording_of(const StudyRecord& study) {
  Faults faults;
  RecordingReader reader("Rooftune records", study.header.kernel, faults);
  Recording& recording = reader.recording;
  recording.kernel = study.header.kernel;
  recording.device = study.header.machine;
  recording.problem_size = study.header.problem;
  for (const Trial& trial : study.history.trials()) {
    RecordedResult result;
    result.configuration = trial.configuration;
    result.outcome = trial.outcome;
    if (!trial.ok()) result.failure = trial.detail;
    if (trial.measurement) {
      result.seconds = trial.seconds();
      for (const Sample& sample : trial.measurement->samples)
        result.runtimes.push_back(sample.seconds);
      for (const auto& [name, value] : trial.measurement->figures)
        result.metrics.push_back({name, value, ""});
    }
    result.build = trial.cost.build;
    result.validate = trial.cost.validate;
    result.measure = trial.cost.time;
    result.timestamp = trial.started;
    reader.add(std::move(result), fmt::format("trial {}", trial.index));
  }
  return reader.finish();
}

namespace {

/// Milliseconds that a reader turns back into exactly these seconds; the nearest where rounding
/// allows none.
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

Json milliseconds(const Numbers& all) { return members(all, milliseconds_of); }

bool ran(const RecordedResult& result) {
  return result.seconds && (result.outcome == Outcome::ok || result.outcome == Outcome::unstable);
}

/// The form's word for the outcome; `otherwise` where it has none.
const char* word_for(std::span<const OutcomeWord> words, Outcome outcome, const char* otherwise) {
  const auto* const found = first_with(words, &OutcomeWord::outcome, outcome);
  return found ? found->word : otherwise;
}

/// Kernel Tuner's word for a failure.
const char* failure_word(Outcome outcome) {
  return word_for(cachefile_outcomes, outcome, cachefile_outcomes[0].word);
}

Json configuration_json(const Recording& recording, const RecordedResult& result) {
  Json json = Json::object();
  for (const Knob& knob : recording.knobs)
    json[knob.name] = to_json(result.configuration.at(knob.name));
  return json;
}

/// Missing parts are 0.
void write_costs(Json& json, CostMembers members, const RecordedResult& result) {
  for (const auto& [name, cost] : members) json[name] = milliseconds(result.*cost);
}

Json t4_result(const Recording& recording, const RecordedResult& result) {
  const std::string word = result.failure.empty() ? failure_word(result.outcome) : result.failure;
  Json json = Json::object(), times = Json::object();
  write_costs(times, t4_costs, result);
  times["runtimes"] = milliseconds(result.runtimes);
  if (!result.measure) times.erase("benchmark");
  Json measurements =
      Json::array({{{"name", "time"},
                    {"value", ran(result) ? milliseconds(result.seconds) : Json(word)},
                    {"unit", "ms"}}});
  for (const Metric& metric : result.metrics)
    measurements.push_back({{"name", metric.name}, {"value", metric.value}, {"unit", metric.unit}});
  const char* const invalid = word_for(t4_outcomes, result.outcome, "runtime");
  if (!result.timestamp.empty()) json["timestamp"] = result.timestamp;
  json["configuration"] = configuration_json(recording, result);
  json["objectives"] = Json{recording.objective};
  json["times"] = std::move(times);
  json["invalidity"] = ran(result)                     ? "correct"
                       : result.outcome == Outcome::ok ? "runtime"
                                                       : invalid;
  if (result.outcome == Outcome::unstable || result.outcome == Outcome::out_of_memory)
    json[outcome_member] = to_text(result.outcome);
  json["correctness"] = ran(result) ? 1 : 0;
  json["measurements"] = std::move(measurements);
  return json;
}

/// As Python's str() prints it: Kernel Tuner joins these texts to keys.
std::string python_text(const Value& value) {
  if (value.is_bool()) return value.truth() ? "True" : "False";
  if (value.is_real() && std::abs(value.real()) < 1e15 && value.real() == std::trunc(value.real()))
    return std::to_string(int64_t(value.real())) + ".0";
  return to_text(value);
}

Json cache_entry(const Recording& recording, const RecordedResult& result) {
  Json entry = configuration_json(recording, result);
  if (ran(result))
    entry["time"] = milliseconds(result.seconds);
  else
    entry["time"] = entry["__error__"] = failure_word(result.outcome);
  if (!result.runtimes.empty()) entry["times"] = milliseconds(result.runtimes);
  if (result.outcome != Outcome::ok && !word_for(cachefile_outcomes, result.outcome, nullptr))
    entry[outcome_member] = to_text(result.outcome);
  for (const Metric& metric : result.metrics)
    if (!entry.contains(metric.name)) entry[metric.name] = metric.value;
  write_costs(entry, cachefile_costs, result);
  // Readers parse the time stamp: an unknown one is the epoch, not an empty text.
  entry["timestamp"] = result.timestamp.empty() ? "1970-01-01 00:00:00+00:00" : result.timestamp;
  return entry;
}

}  // namespace

std::optional<double> time_unit(const std::string& word) {
  // Units up to two bytes long must match the whole word, others its beginning.
  static constexpr std::pair<std::string_view, double> units[]{
      {"mil", 1e-3},  {"ms", 1e-3},   {"msec", 1e-3},      {"mic", 1e-6},
      {"us", 1e-6},   {"usec", 1e-6}, {"\xc2\xb5s", 1e-6}, {"\xce\xbcs", 1e-6},
      {"nano", 1e-9}, {"ns", 1e-9},   {"sec", 1.0},        {"s", 1.0}};
  const std::string text = lower_case(word);
  for (const auto& [unit, seconds] : units)
    if (unit.size() > 2 ? text.starts_with(unit) : text == unit) return seconds;
  return std::nullopt;
}

RecordingReader::RecordingReader(std::string format, std::string where, Faults& faults)
    : faults_(faults), where_(std::move(where)), seen_([this](size_t a, size_t b) {
        return recording.results[a].configuration.values() <
               recording.results[b].configuration.values();
      }) {
  recording.format = std::move(format);
}

std::optional<double> RecordingReader::seconds(const Json& json, const std::string& where) {
  const double value = json.is_number() ? json.get<double>() * unit_ : 0;
  if (json.is_number() && std::isfinite(value) && value > 0) return value;
  faults_.add(where, "a time is a positive number, not " + excerpt(json_text(json)));
  return std::nullopt;
}

void RecordingReader::costs(ObjectReader& object, CostMembers members, RecordedResult& result) {
  for (const auto& [name, cost] : members) {
    const Json& json = object.member(name);
    if (json.is_null()) continue;
    const double value = json.is_number() ? json.get<double>() * unit_ : -1;
    if (std::isfinite(value) && value >= 0)
      result.*cost = value;
    else
      object.fault(name, "a cost is a number that is not negative");
  }
}

std::optional<double> RecordingReader::unit_in(ObjectReader& object, const std::string& key) {
  const std::string word = object.text(key, "");
  const auto unit = time_unit(word);
  if (!word.empty() && !unit)
    object.fault(key, fmt::format("unknown unit of time \"{}\"", excerpt(word)),
                 "milliseconds, microseconds, nanoseconds or seconds");
  return unit;
}

Numbers RecordingReader::runtimes(ObjectReader& object, const std::string& key) {
  const Json& json = object.member(key);
  Numbers all;
  if (json.is_null()) return all;
  if (!json.is_array()) object.fault(key, "expected an array of times");
  for (size_t i = 0; json.is_array() && i < json.size(); ++i)
    if (const auto value = seconds(json[i], place_of(object.where(key), std::to_string(i))))
      all.push_back(*value);
  return all;
}

void RecordingReader::add(RecordedResult result, const std::string& where) {
  if (result.outcome == Outcome::ok && !result.seconds && faults_.empty())
    faults_.add(where, "has neither a time nor a failure");
  recording.results.push_back(std::move(result));
  if (const auto [twin, fresh] = seen_.insert(recording.results.size() - 1); !fresh)
    faults_.add(where,
                fmt::format("the same configuration as at result {}, counted from 0", *twin));
  // So many faults are enough.
  if (faults_.size() >= most_recording_faults) faults_.raise();
}

void RecordingReader::collect_values() {
  if (names_.empty() && !recording.results.empty())
    for (const auto& [name, value] : recording.results.front().configuration.values())
      names_.push_back(name);
  for (const std::string& name : names_) {
    Knob knob;
    knob.kind = Knob::Kind::compile;
    knob.name = name;
    std::set<Value> seen;
    const bool listed =
        values_.is_object() && values_.contains(name) && values_.at(name).is_array();
    if (listed)
      for (const Json& json : values_.at(name))
        if (!json.is_null() && !json.is_structured())
          if (Value value = value_from_json(json); seen.insert(value).second)
            knob.values.push_back(std::move(value));
    for (const RecordedResult& result : recording.results)
      if (result.configuration.has(name))
        if (const Value& value = result.configuration.at(name); seen.insert(value).second) {
          knob.values.push_back(value);
          if (listed)
            recording.deviates(
                fmt::format("parameter {} has values that tune_params does not list", name));
        }
    if (!listed) std::sort(knob.values.begin(), knob.values.end());
    if (!knob.values.empty()) knob.fallback = knob.values.front();
    recording.knobs.push_back(std::move(knob));
  }
}

Recording RecordingReader::finish() {
  if (recording.results.empty() && faults_.empty()) faults_.add(where_, "holds no result");
  faults_.raise();
  collect_values();
  for (const size_t r : indices(recording.results)) {
    const Configuration& configuration = recording.results[r].configuration;
    bool same = configuration.values().size() == recording.knobs.size();
    for (const Knob& knob : recording.knobs) same = same && configuration.has(knob.name);
    if (!same)
      faults_.add(fmt::format("{}: result {}", where_, r),
                  "has other parameters than the first: " + excerpt(configuration.key(), 200));
    if (faults_.size() >= most_recording_faults) faults_.raise();
  }
  faults_.raise();
  return std::move(recording);
}

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
  // Each key in the head has its own line and "cache" is last, so entries can be appended.
  std::string text = "{\n";
  const auto member = [&](const char* key, const Json& json) {
    text += json_text(Json(key)) + ": " + json_text(json) + ",\n";
  };
  member("device_name", recording.device.empty() ? "unknown" : recording.device);
  member("kernel_name", recording.kernel.empty() ? "unknown" : recording.kernel);
  member("problem_size",
         recording.problem_size.is_null() ? Json("unknown") : recording.problem_size);
  member("tune_params_keys", members(recording.knobs, &Knob::name));
  Json values = Json::object();
  for (const Knob& knob : recording.knobs) values[knob.name] = to_json(Value(knob.values));
  member("tune_params", values);
  member("objective", recording.objective);
  text += "\"cache\": {";
  TextSet keys;
  for (const RecordedResult& result : recording.results) {
    const std::string key = joined(
        members(recording.knobs,
                [&](const Knob& knob) { return python_text(result.configuration.at(knob.name)); }),
        ",");
    if (!keys.insert(key).second)
      throw Error(
          fmt::format("two configurations have the same key in a cachefile: \"{}\"", excerpt(key)),
          {}, "texts with commas do not fit; use --format t4");
    text += keys.size() == 1 ? "\n" : ",\n";
    text += json_text(Json(key)) + ": " + json_text(cache_entry(recording, result));
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
