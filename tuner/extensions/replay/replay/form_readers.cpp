// Readers of recorded spaces in the field's forms, as its tools really write them.
#include <fmt/format.h>

#include <numeric>

#include "core/fields.h"
#include "core/list.h"
#include "replay/recording_reader.h"

namespace rooftune::replay {
namespace {

std::optional<Outcome> outcome_of(std::span<const OutcomeWord> words, const std::string& word) {
  const auto* const found =
      first_where(words, [&](const OutcomeWord& one) { return word == one.word; });
  return found ? std::optional(found->outcome) : std::nullopt;
}

/// Spellings of writers, and what is only checked.
constexpr CostMember short_name[]{{"compilation", &RecordedResult::build}},
    duration[]{{"Duration", &RecordedResult::measure}};

class T4Reader : public RecordingReader {
 public:
  using RecordingReader::RecordingReader;

  void head(ObjectReader& root) override {
    const bool described = root.object("metadata", [&](ObjectReader& object) { metadata(object); });
    if (!described) recording.deviates("metadata is missing");
    const Json& version = root.member("schema_version");
    if (version.is_null())
      recording.deviates("schema_version is missing");
    else if (version != Json("1.0.0"))
      recording.deviates(
          fmt::format("schema_version is {}, not \"1.0.0\"", excerpt(json_text(version))));
  }

  void result(ObjectReader& object) override {
    RecordedResult result;
    configuration(object, result);
    const std::string invalidity = object.text("invalidity", "");
    const auto outcome = outcome_of(t4_outcomes, invalidity);
    if (!outcome)
      object.fault("invalidity",
                   invalidity.empty() ? "is missing (a text)"
                                      : fmt::format("unknown word \"{}\"", excerpt(invalidity)),
                   "correct, timeout, compile, runtime, correctness or constraints");
    result.outcome = outcome.value_or(Outcome::crashed);
    result.timestamp = object.text("timestamp", "");
    const auto objectives = object.get<Texts>("objectives");
    if (recording.results.empty() && !objectives.empty()) recording.objective = objectives.front();
    unit_ = metadata_unit_.value_or(1e-3);
    object.each("measurements", [&](ObjectReader& one) { measurement(one, result); });
    times(object, result);
    if (result.outcome == Outcome::ok && !result.seconds) take_mean_of_runtimes(result);
    if (result.outcome != Outcome::ok && result.failure.empty()) result.failure = invalidity;
    object.read(outcome_member, result.outcome);
    add(std::move(result), object.where());
  }

 private:
  void metadata(ObjectReader& object) {
    const std::string text = object.text("timeunit", "");
    metadata_unit_ = unit_in(object, "timeunit");
    if (text.empty()) recording.deviates("metadata has no timeunit");
    if (metadata_unit_ && !is_among(text, "milliseconds microseconds nanoseconds seconds"))
      recording.deviates(fmt::format("timeunit is written \"{}\"", text));
    recording.device = object.text("device", "");
    recording.kernel = object.text("kernel", "");
    recording.problem_size = object.member("problem_size");
  }

  void configuration(ObjectReader& object, RecordedResult& result) {
    const Json& json = object.member("configuration");
    decode(object.place().member("configuration"), result.configuration);
    if (names_.empty() && json.is_object())
      for (const auto& [name, value] : json.items()) names_.push_back(name);
  }

  /// A unit beside the time outranks the metadata.
  void measurement(ObjectReader& object, RecordedResult& result) {
    Metric metric{object.text("name"), object.member("value"), object.text("unit", "")};
    if (metric.name != "time") {
      result.metrics.push_back(std::move(metric));
      return;
    }
    const auto stated = metric.value.is_number() ? unit_in(object, "unit") : time_unit(metric.unit);
    if (stated && metadata_unit_ && *stated != *metadata_unit_)
      recording.deviates("the unit beside a time is not that of the metadata");
    unit_ = stated.value_or(unit_);
    const bool ok = result.outcome == Outcome::ok;
    if (metric.value.is_string()) {
      result.failure = metric.value.get<std::string>();
      if (ok) recording.deviates("a result that is no time is called correct");
      if (ok) result.outcome = Outcome::crashed;
    } else if (ok) {
      result.seconds = seconds(metric.value, object.where("value"));
    }
  }

  void times(ObjectReader& object, RecordedResult& result) {
    if (!object.has("times")) object.fault("times", "is missing (an object)");
    object.object("times", [&](ObjectReader& times) {
      costs(times, t4_costs, result);
      if (!times.has("compilation_time") && times.has("compilation")) {
        recording.deviates("times.compilation instead of times.compilation_time");
        costs(times, short_name, result);
      }
      result.runtimes = runtimes(times, "runtimes");
    });
    if (result.outcome == Outcome::ok && result.runtimes.empty())
      recording.deviates("a correct result has no runtimes");
  }

  void take_mean_of_runtimes(RecordedResult& result) {
    const Numbers& all = result.runtimes;
    if (!all.empty())
      result.seconds = std::accumulate(all.begin(), all.end(), 0.0) / double(all.size());
    recording.deviates("a correct result has no measurement \"time\"");
  }

  std::optional<double> metadata_unit_;
};

class CachefileReader : public RecordingReader {
 public:
  using RecordingReader::RecordingReader;

  void head(ObjectReader& root) override {
    recording.device = root.text("device_name", "");
    recording.kernel = root.text("kernel_name", "");
    recording.problem_size = root.member("problem_size");
    for (const char* key : {"device_name", "kernel_name", "problem_size", "objective"})
      if (!root.has(key)) recording.deviates(fmt::format("{} is missing", key));
    if (const Json& objective = root.member("objective"); objective.is_string())
      recording.objective = objective.get<std::string>();
    root.read("tune_params_keys", names_);
    if (names_.empty()) root.fault("tune_params_keys", "is missing (an array of names)");
    values_ = root.member("tune_params");
    if (!values_.is_object()) recording.deviates("tune_params is missing");
  }

  void result(ObjectReader& entry) override {
    // Without names all configurations would be equal.
    if (names_.empty()) return;
    RecordedResult result;
    for (const std::string& name : names_) {
      const Json& value = entry.member(name);
      if (value.is_null() || value.is_object())
        entry.fault(name, "is missing (the value of a parameter)");
      else
        result.configuration.set(name, value_from_json(value));
    }
    time(entry, result);
    entry.read(outcome_member, result.outcome);
    costs(entry, cachefile_costs, result);
    result.timestamp = entry.text("timestamp", "");
    if (result.timestamp.empty()) recording.deviates("entries have no timestamp");
    result.runtimes = runtimes(entry, "times");
    metrics(entry, result);
    add(std::move(result), entry.where());
  }

 private:
  void time(ObjectReader& entry, RecordedResult& result) {
    const Json& time = entry.member("time");
    const Json& error = entry.member("__error__");
    if (error.is_string() || time.is_string()) {
      result.failure = error.is_string() ? error.get<std::string>() : time.get<std::string>();
      const bool wrong = contains(result.failure, "Verif") || contains(result.failure, "Correct");
      const auto outcome = outcome_of(cachefile_outcomes, result.failure);
      if (!outcome && !wrong)
        recording.deviates(
            fmt::format("a time is \"{}\", none of the form's failures; taken for one",
                        excerpt(result.failure)));
      result.outcome = outcome.value_or(wrong ? Outcome::wrong_result : Outcome::crashed);
    } else if (time.is_number() && time.get<double>() >= huge_time) {
      result.failure = cachefile_outcomes[0].word;
      result.outcome = Outcome::crashed;
      recording.deviates("failures are written as a huge time");
    } else {
      result.seconds = seconds(time, entry.where("time"));
    }
  }

  void metrics(ObjectReader& entry, RecordedResult& result) {
    for (const auto& [key, value] : entry.json().items()) {
      if (result.configuration.has(key) || key == outcome_member ||
          is_among(key, "time times timestamp __error__") ||
          contains(cachefile_costs, key, &CostMember::name))
        continue;
      if (value.is_number() || value.is_string() || value.is_array())
        result.metrics.push_back({key, value, ""});
    }
  }

  /// Versions before 1.0 wrote such a number for every failure.
  static constexpr double huge_time = 1e20;
};

class KttReader : public RecordingReader {
 public:
  using RecordingReader::RecordingReader;

  void head(ObjectReader& root) override {
    root.object("Metadata", [&](ObjectReader& metadata) {
      unit_ = unit_in(metadata, "TimeUnit").value_or(1e-3);
      if (metadata.text("TimeUnit", "").empty()) recording.deviates("Metadata has no TimeUnit");
      recording.device = metadata.text("Device", "");
      timestamp_ = metadata.text("Timestamp", "");
    });
    if (!root.has("Metadata")) recording.deviates("Metadata is missing");
  }

  void result(ObjectReader& object) override {
    RecordedResult result;
    result.timestamp = timestamp_;
    configuration(object, result);
    const std::string status = object.text("Status");
    const auto outcome = outcome_of(ktt_outcomes, status);
    if (!outcome)
      recording.deviates(
          fmt::format("Status is \"{}\", none of KTT's; taken for a failure", excerpt(status)));
    result.outcome = outcome.value_or(Outcome::crashed);
    if (result.outcome != Outcome::ok) result.failure = status;
    if (recording.kernel.empty()) recording.kernel = object.text("KernelName", "");
    if (result.outcome == Outcome::ok)
      result.seconds = seconds(object.member("TotalDuration"), object.where("TotalDuration"));
    costs(object, ktt_costs, result);
    if (result.seconds) result.runtimes = {*result.seconds};
    object.each("ComputationResults", [&](ObjectReader& run) { computation(run, result); });
    add(std::move(result), object.where());
  }

 private:
  void configuration(ObjectReader& object, RecordedResult& result) {
    const bool first = names_.empty();
    object.each("Configuration", [&](ObjectReader& pair) {
      const std::string name = pair.text("Name");
      const Json& value = pair.member("Value");
      if (value.is_null() || value.is_structured()) {
        pair.fault("Value", "expected a number, text or truth");
        return;
      }
      if (result.configuration.has(name)) pair.fault("Name", "stands twice: " + excerpt(name));
      result.configuration.set(name, value_from_json(value));
      if (first) names_.push_back(name);
    });
    if (!object.has("Configuration")) object.fault("Configuration", "is missing (an array)");
  }

  void computation(ObjectReader& run, RecordedResult& result) {
    const auto metric = [&](const std::string& name, const Json& value) {
      if (value.is_number() || value.is_string()) result.metrics.push_back({name, value, ""});
    };
    // The result's time is the sum over all computations; each duration must be a time all the
    // same.
    RecordedResult unused;
    costs(run, duration, unused);
    run.object("CompilationData", [&](ObjectReader& compilation) {
      for (const auto& [name, value] : compilation.json().items()) metric(name, value);
    });
    for (const char* size : {"GlobalSize", "LocalSize"})
      run.object(size, [&](ObjectReader& axes) {
        for (const auto& [axis, value] : axes.json().items())
          metric(std::string(size) + "." + axis, value);
      });
    run.object("ProfilingData", [&](ObjectReader& profile) {
      profile.each("Counters", [&](ObjectReader& counter) {
        metric(counter.text("Name"), counter.member("Value"));
      });
    });
  }

  std::string timestamp_;
};

}  // namespace

std::unique_ptr<RecordingReader> t4_reader(const std::string& where, Faults& faults) {
  return std::make_unique<T4Reader>("T4", where, faults);
}

// Reads Kernel Tuner's cachefiles, in every version met in the wild.

std::unique_ptr<RecordingReader> cachefile_reader(const std::string& where, Faults& faults) {
  return std::make_unique<CachefileReader>("Kernel Tuner cachefile", where, faults);
}

// Reads KTT's JSON output: configurations as lists of named values, durations in the unit that its
// metadata states, hardware counters where it profiled.

std::unique_ptr<RecordingReader> ktt_reader(const std::string& where, Faults& faults) {
  return std::make_unique<KttReader>("KTT output", where, faults);
}

}  // namespace rooftune::replay
