// Reader of Kernel Tuner's cachefiles, of every version met in the wild.
#include <fmt/format.h>

#include "replay/recording_reader.h"

namespace rooftune::replay {
namespace {

std::optional<Outcome> failure_of(const std::string& word) {
  for (const auto& [failure, outcome] : cachefile_failures)
    if (word == failure) return outcome;
  if (word.find("Verif") != std::string::npos || word.find("Correct") != std::string::npos)
    return Outcome::wrong_result;
  return std::nullopt;
}

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
    names_ = root.texts("tune_params_keys");
    if (names_.empty()) root.fault("tune_params_keys", "is missing (an array of names)");
    values_ = root.member("tune_params");
    if (!values_.is_object()) recording.deviates("tune_params is missing");
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
    take_stated_outcome(entry, result);
    result.build = cost(entry, "compile_time");
    result.validate = cost(entry, "verification_time");
    result.measure = cost(entry, "benchmark_time");
    result.search = cost(entry, "strategy_time");
    result.framework = cost(entry, "framework_time");
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
      const auto outcome = failure_of(result.failure);
      if (!outcome)
        recording.deviates(
            fmt::format("a time is \"{}\", none of the form's failures; taken for one",
                        excerpt(result.failure)));
      result.outcome = outcome.value_or(Outcome::crashed);
      return;
    }
    // Versions before 1.0 wrote this number for every failure.
    if (time.is_number() && time.get<double>() >= 1e20) {
      result.failure = "RuntimeFailedConfig";
      result.outcome = Outcome::crashed;
      recording.deviates("failures are written as a huge time");
      return;
    }
    result.seconds = seconds(time, entry.where("time"));
  }

  void metrics(ObjectReader& entry, RecordedResult& result) {
    static const std::set<std::string> known{
        "time",          "times",          "compile_time", "verification_time", "benchmark_time",
        "strategy_time", "framework_time", "timestamp",    "__error__",         outcome_member};
    for (const auto& [key, value] : entry.json().items()) {
      if (result.configuration.has(key) || known.contains(key)) continue;
      if (value.is_number() || value.is_string() || value.is_array())
        result.metrics.push_back({key, value, ""});
    }
  }
};

}  // namespace

std::unique_ptr<RecordingReader> cachefile_reader(const std::string& where, Faults& faults,
                                                  std::size_t memory) {
  return std::make_unique<CachefileReader>("Kernel Tuner cachefile", where, faults, memory);
}

}  // namespace rooftune::replay
