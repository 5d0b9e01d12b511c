#include "store/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "store/compressed_file.h"
#include "store/record.h"

namespace rooftune {
namespace {

/// Files of thousands of results repeat one fault thousands of times.
constexpr std::size_t most_faults = 20;

bool begins_as_records(const std::string& text) {
  const std::string head = text.substr(0, 200);
  return head.find(std::string("\"") + record_family) != std::string::npos;
}

/// Lines of records: the header once, trials by position; other events are none of a recording.
Recording recording_from_lines(const std::string& text, const std::string& where) {
  StoredStudy study;
  std::set<std::string> seen;
  std::size_t number = 0, begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    const bool torn = end == text.size();
    begin = end + 1;
    const std::string place = where + ":" + std::to_string(++number);
    if (line.empty()) continue;
    try {
      const Json json = parse_json(line, place);
      const std::string event = json.is_object() ? json.value("event", "") : "";
      if (event == study_event) study.header = header_from_json(json.at("body"), place);
      if (event != trial_event) continue;
      Trial trial = trial_from_json(json.at("body"), place + ": /body");
      if (seen.insert(trial.configuration.key()).second) study.history.append(std::move(trial));
    } catch (const Error&) {
      // A run that was killed leaves half a line at the end.
      if (!torn) throw;
    } catch (const nlohmann::json::exception&) {
      throw Error("is no record", place);
    }
  }
  if (study.history.size() == 0) throw Error("holds no trial", where);
  return recording_of(study);
}

/// A cachefile is appended to while its tuner runs; what a kill leaves is not closed.
std::optional<Json> closed(std::string text, const std::string& where) {
  while (!text.empty() &&
         (std::isspace(static_cast<unsigned char>(text.back())) != 0 || text.back() == ','))
    text.pop_back();
  if (text.find("\"cache\"") == std::string::npos) return std::nullopt;
  // First as it stands, then without the entry that was being written.
  for (int attempt = 0; attempt < 2; ++attempt) {
    for (const char* end : {"}}", "}"}) {
      try {
        return parse_json(text + end, where);
      } catch (const Error&) {
      }
    }
    const std::size_t line = text.rfind(",\n\"");
    if (line == std::string::npos) return std::nullopt;
    text.resize(line);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Outcome> stated_outcome(ObjectReader& entry) {
  if (!entry.has(outcome_member)) return std::nullopt;
  try {
    return outcome(entry.text(outcome_member, ""));
  } catch (const Error& error) {
    entry.fault(outcome_member, error.message(), error.hint());
    return std::nullopt;
  }
}

Cost RecordedResult::cost() const {
  Cost cost{build.value_or(0), validate.value_or(0), measure.value_or(0), 0};
  cost.total = cost.build + cost.validate + cost.time + search.value_or(0) + framework.value_or(0);
  return cost;
}

SearchSpace Recording::space() const {
  std::vector<Configuration> configurations;
  for (const RecordedResult& result : results) configurations.push_back(result.configuration);
  return SearchSpace::of_configurations(kernel.empty() ? "recorded space" : kernel, knobs,
                                        configurations);
}

void Recording::deviates(const std::string& words) {
  if (std::find(deviations.begin(), deviations.end(), words) == deviations.end())
    deviations.push_back(words);
}

RecordingBuilder::RecordingBuilder(std::string format, std::string where, Faults& all_faults)
    : faults(all_faults), where_(std::move(where)) {
  recording.format = std::move(format);
}

Configuration RecordingBuilder::configuration(const Json& object, const std::string& where) {
  Configuration configuration;
  if (!object.is_object()) {
    faults.add(where, "expected a configuration (an object)");
    return configuration;
  }
  for (const auto& [name, value] : object.items()) {
    try {
      configuration.set(name, value_from_json(value));
    } catch (const Error& error) {
      faults.add(where + "/" + excerpt(name), error.message(), error.hint());
    }
  }
  return configuration;
}

std::optional<double> RecordingBuilder::seconds(const Json& json, double unit,
                                                const std::string& where) {
  const double value = json.is_number() ? json.get<double>() * unit : 0;
  if (json.is_number() && std::isfinite(value) && value > 0) return value;
  faults.add(where,
             fmt::format("a time is a positive number, not {}",
                         excerpt(json.dump(-1, ' ', false, Json::error_handler_t::replace))));
  return std::nullopt;
}

std::optional<double> RecordingBuilder::cost(const Json& json, double unit,
                                             const std::string& where) {
  if (json.is_null()) return std::nullopt;
  const double value = json.is_number() ? json.get<double>() * unit : -1;
  if (std::isfinite(value) && value >= 0) return value;
  faults.add(where, "a cost is a number that is not negative");
  return std::nullopt;
}

std::vector<double> RecordingBuilder::runtimes(const Json& json, double unit,
                                               const std::string& where) {
  std::vector<double> all;
  if (json.is_null()) return all;
  if (!json.is_array()) faults.add(where, "expected an array of times");
  for (std::size_t i = 0; json.is_array() && i < json.size(); ++i)
    if (const auto value = seconds(json[i], unit, where + "/" + std::to_string(i)))
      all.push_back(*value);
  return all;
}

void RecordingBuilder::add(RecordedResult result, const std::string& where) {
  const auto [first, fresh] = seen_.emplace(result.configuration.key(), where);
  if (!fresh) faults.add(where, "the same configuration as at " + first->second);
  if (result.outcome == Outcome::ok && !result.seconds && faults.empty())
    faults.add(where, "has neither a time nor a failure");
  recording.results.push_back(std::move(result));
  // What is wrong so often is said often enough.
  if (faults.size() >= most_faults) faults.raise();
}

void RecordingBuilder::collect_values(const std::vector<std::string>& order, const Json& values) {
  std::vector<std::string> names = order;
  if (names.empty() && !recording.results.empty())
    for (const auto& [name, value] : recording.results.front().configuration.values())
      names.push_back(name);
  for (const std::string& name : names) {
    Knob knob;
    knob.kind = Knob::Kind::compile;
    knob.name = name;
    std::set<Value> seen;
    const bool listed = values.is_object() && values.contains(name) && values.at(name).is_array();
    if (listed)
      for (const Json& json : values.at(name))
        if (!json.is_null() && !json.is_structured())
          if (Value value = value_from_json(json); seen.insert(value).second)
            knob.values.push_back(std::move(value));
    for (const RecordedResult& result : recording.results)
      if (result.configuration.has(name))
        if (const Value& value = result.configuration.at(name); seen.insert(value).second)
          knob.values.push_back(value);
    if (!listed) std::sort(knob.values.begin(), knob.values.end());
    if (!knob.values.empty()) knob.fallback = knob.values.front();
    recording.knobs.push_back(std::move(knob));
  }
}

Recording RecordingBuilder::finish(const std::vector<std::string>& order, const Json& values) {
  if (recording.results.empty()) faults.add(where_, "holds no result");
  faults.raise();
  collect_values(order, values);
  for (std::size_t r = 0; r < recording.results.size(); ++r) {
    const Configuration& configuration = recording.results[r].configuration;
    bool same = configuration.values().size() == recording.knobs.size();
    for (const Knob& knob : recording.knobs) same = same && configuration.has(knob.name);
    if (!same)
      faults.add(fmt::format("{}: result {}", where_, r),
                 "has other parameters than the first: " + excerpt(configuration.key(), 200));
    if (faults.size() >= most_faults) faults.raise();
  }
  faults.raise();
  return std::move(recording);
}

Recording recording_from_text(const std::string& text, const std::string& where) {
  if (begins_as_records(text)) return recording_from_lines(text, where);
  Json json;
  bool repaired = false;
  try {
    json = parse_json(text, where);
  } catch (const Error&) {
    auto whole = closed(text, where);
    if (!whole) throw;
    json = std::move(*whole);
    repaired = true;
  }
  Recording recording;
  if (is_cachefile(json))
    recording = cachefile_from_json(json, where);
  else if (is_t4(json))
    recording = t4_from_json(json, where);
  else if (is_ktt_output(json))
    recording = ktt_output_from_json(json, where);
  else
    throw Error("is no recorded space", where,
                "T4 results, a Kernel Tuner cachefile, KTT output or Rooftune's records; plain or "
                ".gz");
  if (repaired) recording.deviates("the file was not closed; what was complete is kept");
  return recording;
}

Recording read_recording(const std::filesystem::path& file) {
  return recording_from_text(read_plain_or_gzip(file), file.string());
}

Recording recording_of(const StoredStudy& study) {
  Faults faults;
  RecordingBuilder builder("Rooftune records", study.header.kernel, faults);
  Recording& recording = builder.recording;
  recording.kernel = study.header.kernel;
  recording.device = study.header.machine;
  recording.problem_size = study.header.problem;
  recording.rest["backend"] = study.header.backend;
  recording.rest["study"] = study.header.id;
  for (const Trial& trial : study.history.trials()) {
    RecordedResult result;
    result.configuration = trial.configuration;
    result.outcome = trial.outcome;
    if (!trial.ok()) result.failure = trial.detail;
    if (trial.measurement) {
      result.seconds = trial.measurement->seconds.value;
      for (const Sample& sample : trial.measurement->samples)
        result.runtimes.push_back(sample.seconds);
    }
    result.build = trial.cost.build;
    result.validate = trial.cost.validate;
    result.measure = trial.cost.time;
    result.timestamp = trial.started;
    builder.add(std::move(result), fmt::format("trial {}", trial.index));
  }
  return builder.finish();
}

}  // namespace rooftune
