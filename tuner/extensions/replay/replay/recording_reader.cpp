// Results, faults and values of a recorded space, collected while it is read.
#include "replay/recording_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/text.h"

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
  std::size_t bytes = sizeof result;
  for (const auto& [name, value] : result.configuration.values())
    bytes += sizeof name + name.size() + sizeof value + heap_bytes;
  bytes += result.runtimes.capacity() * sizeof(double);
  bytes += (result.failure.size() + result.timestamp.size() + 2 * heap_bytes);
  for (const Metric& metric : result.metrics)
    bytes += sizeof metric + metric.name.size() + metric.unit.size() + footprint(metric.value);
  return bytes;
}

}  // namespace

std::optional<double> time_unit(const std::string& word) {
  // Units of up to two bytes are whole words, others beginnings.
  static constexpr std::pair<std::string_view, double> units[]{
      {"mil", 1e-3},  {"ms", 1e-3},   {"msec", 1e-3},      {"mic", 1e-6},
      {"us", 1e-6},   {"usec", 1e-6}, {"\xc2\xb5s", 1e-6}, {"\xce\xbcs", 1e-6},
      {"nano", 1e-9}, {"ns", 1e-9},   {"sec", 1.0},        {"s", 1.0}};
  const std::string text = lower_case(word);
  for (const auto& [unit, seconds] : units)
    if (unit.size() > 2 ? text.starts_with(unit) : text == unit) return seconds;
  return std::nullopt;
}

RecordingReader::RecordingReader(std::string format, std::string where, Faults& faults,
                                 std::size_t memory)
    : faults_(faults),
      where_(std::move(where)),
      memory_(memory),
      seen_([this](std::size_t a, std::size_t b) {
        return recording.results[a].configuration.values() <
               recording.results[b].configuration.values();
      }) {
  recording.format = std::move(format);
}

void RecordingReader::take_stated_outcome(ObjectReader& entry, RecordedResult& result) {
  if (!entry.has(outcome_member)) return;
  try {
    result.outcome = enumerator<Outcome>("outcome", entry.text(outcome_member, ""));
  } catch (const Error& error) {
    entry.fault(outcome_member, error.message(), error.hint());
  }
}

std::optional<double> RecordingReader::seconds(const Json& json, const std::string& where) {
  const double value = json.is_number() ? json.get<double>() * unit_ : 0;
  if (json.is_number() && std::isfinite(value) && value > 0) return value;
  faults_.add(where, fmt::format("a time is a positive number, not {}", excerpt(json_text(json))));
  return std::nullopt;
}

std::optional<double> RecordingReader::cost(ObjectReader& object, const std::string& key) {
  const Json& json = object.member(key);
  if (json.is_null()) return std::nullopt;
  const double value = json.is_number() ? json.get<double>() * unit_ : -1;
  if (std::isfinite(value) && value >= 0) return value;
  object.fault(key, "a cost is a number that is not negative");
  return std::nullopt;
}

std::vector<double> RecordingReader::runtimes(ObjectReader& object, const std::string& key) {
  const Json& json = object.member(key);
  std::vector<double> all;
  if (json.is_null()) return all;
  if (!json.is_array()) object.fault(key, "expected an array of times");
  for (std::size_t i = 0; json.is_array() && i < json.size(); ++i)
    if (const auto value = seconds(json[i], place_of(object.where(key), std::to_string(i))))
      all.push_back(*value);
  return all;
}

void RecordingReader::add(RecordedResult result, const std::string& where) {
  if (result.outcome == Outcome::ok && !result.seconds && faults_.empty())
    faults_.add(where, "has neither a time nor a failure");
  taken_ += footprint(result);
  if (taken_ > memory_)
    throw Error(
        fmt::format("its results take more than {} MB, far more than the file", memory_ >> 20),
        where, "no measurement is written so; is it the right file?");
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
  for (std::size_t r = 0; r < recording.results.size(); ++r) {
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

}  // namespace rooftune::replay
