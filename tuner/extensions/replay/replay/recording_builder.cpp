// Results, faults and values of a recorded space, collected while it is read.
#include "replay/recording_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

namespace rooftune::replay {
namespace {

/// Rough overhead of the allocator for a node or a text on the heap.
constexpr std::size_t heap_bytes = 48;

std::size_t footprint(const Json& json) {
  std::size_t bytes = sizeof json;
  if (json.is_string()) return bytes + heap_bytes + json.get_ref<const std::string&>().size();
  if (!json.is_structured()) return bytes;
  for (const Json& value : json) bytes += footprint(value);
  const std::size_t name_bytes = json.is_object() ? json.size() * heap_bytes : 0;
  return bytes + heap_bytes + name_bytes;
}

/// Bytes of a result, within a fifth or so.
std::size_t footprint(const RecordedResult& result) {
  std::size_t bytes = sizeof result + footprint(result.rest);
  for (const auto& [name, value] : result.configuration.values())
    bytes += sizeof name + name.size() + sizeof value + heap_bytes;
  bytes += result.runtimes.capacity() * sizeof(double);
  bytes += (result.failure.size() + result.timestamp.size() + 2 * heap_bytes);
  for (const std::string& objective : result.objectives) bytes += heap_bytes + objective.size();
  for (const Metric& metric : result.metrics)
    bytes += sizeof metric + metric.name.size() + metric.unit.size() + footprint(metric.value);
  return bytes;
}

/// Equal for configurations equal as values of Python: 0, 0.0 and False are one.
std::size_t hash_of(const Configuration& configuration) {
  std::size_t hash = 0;
  const auto mix = [&](std::size_t part) { hash = (hash ^ part) * 0x9e3779b97f4a7c15 + 1; };
  for (const auto& [name, value] : configuration.values()) {
    mix(std::hash<std::string>()(name));
    if (value.is_number()) mix(std::hash<double>()(value.real()));
    if (value.is_text()) mix(std::hash<std::string>()(value.text()));
  }
  return hash;
}

}  // namespace

std::optional<Outcome> stated_outcome(ObjectReader& entry) {
  if (!entry.has(outcome_member)) return std::nullopt;
  try {
    return enumerator<Outcome>("outcome", entry.text(outcome_member, ""));
  } catch (const Error& error) {
    entry.fault(outcome_member, error.message(), error.hint());
    return std::nullopt;
  }
}

RecordingBuilder::RecordingBuilder(std::string format, std::string where, Faults& all_faults,
                                   std::size_t memory)
    : faults(all_faults), where_(std::move(where)), memory_(memory) {
  recording.format = std::move(format);
}

Configuration RecordingBuilder::configuration(const Json& object, const std::string& where) {
  Configuration configuration;
  if (!object.is_object()) {
    faults.add(where, "expected a configuration (an object)", "for example {\"block_size\": 16}");
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
  faults.add(where, fmt::format("a time is a positive number, not {}", excerpt(json_text(json))));
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
  const std::size_t hash = hash_of(result.configuration);
  const auto [begin, end] = seen_.equal_range(hash);
  const auto twin = std::find_if(begin, end, [&](const auto& other) {
    return recording.results[other.second].configuration == result.configuration;
  });
  if (twin != end)
    faults.add(where,
               fmt::format("the same configuration as at result {}, counted from 0", twin->second));
  seen_.emplace(hash, recording.results.size());
  if (result.outcome == Outcome::ok && !result.seconds && faults.empty())
    faults.add(where, "has neither a time nor a failure");
  taken_ += footprint(result);
  if (taken_ > memory_)
    throw Error(
        fmt::format("its results take more than {} MB, far more than the file", memory_ >> 20),
        where, "no measurement is written so; is it the right file?");
  recording.results.push_back(std::move(result));
  // So many faults are enough.
  if (faults.size() >= most_recording_faults) faults.raise();
}

void RecordingBuilder::keep_others(const Json& head, const std::set<std::string>& known,
                                   const std::set<std::string>& own) {
  for (const auto& [key, value] : head.items()) {
    if (known.count(key) != 0) continue;
    recording.rest[key] = value;
    if (own.count(key) == 0)
      recording.deviates(
          fmt::format("the head has \"{}\" besides the form's members", excerpt(key)));
  }
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

Recording RecordingBuilder::finish(const std::vector<std::string>& order, const Json& values) {
  if (recording.results.empty() && faults.empty()) faults.add(where_, "holds no result");
  faults.raise();
  collect_values(order, values);
  for (std::size_t r = 0; r < recording.results.size(); ++r) {
    const Configuration& configuration = recording.results[r].configuration;
    bool same = configuration.values().size() == recording.knobs.size();
    for (const Knob& knob : recording.knobs) same = same && configuration.has(knob.name);
    if (!same)
      faults.add(fmt::format("{}: result {}", where_, r),
                 "has other parameters than the first: " + excerpt(configuration.key(), 200));
    if (faults.size() >= most_recording_faults) faults.raise();
  }
  faults.raise();
  return std::move(recording);
}

}  // namespace rooftune::replay
