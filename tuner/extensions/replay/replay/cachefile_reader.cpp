// Reader of Kernel Tuner's cachefiles, of every version met in the wild.
#include <fmt/format.h>

#include <algorithm>

#include "replay/recording_builder.h"

namespace rooftune::replay {
namespace {

constexpr double millisecond = 1e-3;

std::optional<Outcome> failure_of(const std::string& word) {
  if (word == "CompilationFailedConfig") return Outcome::build_failed;
  if (word == "InvalidConfig") return Outcome::pruned;
  if (word == "RuntimeFailedConfig") return Outcome::crashed;
  if (word.find("Verif") != std::string::npos || word.find("Correct") != std::string::npos)
    return Outcome::wrong_result;
  return std::nullopt;
}

class CachefileReader : public RecordingReader {
 public:
  CachefileReader(const std::string& where, Faults& faults, std::size_t memory)
      : builder_("Kernel Tuner cachefile", where, faults, memory) {}

  void head(ObjectReader& root) override {
    Recording& recording = builder_.recording;
    recording.device = root.text("device_name", "");
    recording.kernel = root.text("kernel_name", "");
    recording.problem_size = root.member("problem_size");
    for (const char* key : {"device_name", "kernel_name", "problem_size", "objective"})
      if (!root.has(key)) recording.deviates(fmt::format("{} is missing", key));
    if (const Json& objective = root.member("objective"); objective.is_string())
      recording.objective = objective.get<std::string>();
    names_ = root.texts("tune_params_keys");
    if (names_.empty()) root.fault("tune_params_keys", "is missing (an array of names)");
    values_ = root.member("tune_params");
    if (!values_.is_object()) recording.deviates("tune_params is missing");
    builder_.keep_others(root.json(),
                         {"cache", "device_name", "kernel_name", "problem_size", "objective",
                          "tune_params_keys", "tune_params"},
                         {"schema_version", "backend", "study", "metadata", "Metadata"});
  }

  void result(ObjectReader& entry) override {
    // Without names every configuration would be the same one.
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
    if (const auto stated = stated_outcome(entry)) result.outcome = *stated;
    const auto cost = [&](const char* key) {
      return builder_.cost(entry.member(key), millisecond, entry.where(key));
    };
    result.build = cost("compile_time");
    result.validate = cost("verification_time");
    result.measure = cost("benchmark_time");
    result.search = cost("strategy_time");
    result.framework = cost("framework_time");
    result.timestamp = entry.text("timestamp", "");
    if (result.timestamp.empty()) builder_.recording.deviates("entries have no timestamp");
    result.runtimes = builder_.runtimes(entry.member("times"), millisecond, entry.where("times"));
    metrics(entry, result);
    builder_.add(std::move(result), entry.where());
  }

  Recording finish() override { return builder_.finish(names_, values_); }

 private:
  void time(ObjectReader& entry, RecordedResult& result) {
    const Json& time = entry.member("time");
    const Json& error = entry.member("__error__");
    if (error.is_string() || time.is_string()) {
      result.failure = error.is_string() ? error.get<std::string>() : time.get<std::string>();
      const auto outcome = failure_of(result.failure);
      if (!outcome)
        builder_.recording.deviates(
            fmt::format("a time is \"{}\", none of the form's failures; taken for one",
                        excerpt(result.failure)));
      result.outcome = outcome.value_or(Outcome::crashed);
      result.failure = entry.text(failure_member, result.failure);
      return;
    }
    // Versions before 1.0 wrote this number for every failure.
    if (time.is_number() && time.get<double>() >= 1e20) {
      result.failure = "RuntimeFailedConfig";
      result.outcome = Outcome::crashed;
      builder_.recording.deviates("failures are written as a huge time");
      return;
    }
    result.seconds = builder_.seconds(time, millisecond, entry.where("time"));
  }

  void metrics(ObjectReader& entry, RecordedResult& result) {
    static const std::vector<std::string> known{
        "time",           "times",         "compile_time",   "verification_time",
        "benchmark_time", "strategy_time", "framework_time", "timestamp",
        "__error__",      outcome_member,  failure_member,   units_member};
    for (const auto& [key, value] : entry.json().items()) {
      if (result.configuration.has(key) ||
          std::find(known.begin(), known.end(), key) != known.end())
        continue;
      if (value.is_number() || value.is_string() || value.is_array())
        result.metrics.push_back({key, value, ""});
      else
        result.rest[key] = value;
    }
    entry.object(units_member, [&](ObjectReader& units) {
      for (Metric& metric : result.metrics) metric.unit = units.text(metric.name, "");
    });
  }

  RecordingBuilder builder_;
  std::vector<std::string> names_;
  Json values_;
};

}  // namespace

std::unique_ptr<RecordingReader> cachefile_reader(const std::string& where, Faults& faults,
                                                  std::size_t memory) {
  return std::make_unique<CachefileReader>(where, faults, memory);
}

}  // namespace rooftune::replay
