// Reader of results in the community's form T4, with the spellings of its real writers.
#include <fmt/format.h>

#include "replay/recording_builder.h"
#include "replay/time_unit.h"

namespace rooftune::replay {
namespace {

Outcome outcome_of(const std::string& invalidity, ObjectReader& object) {
  static const std::map<std::string, Outcome> words{{"correct", Outcome::ok},
                                                    {"timeout", Outcome::timed_out},
                                                    {"compile", Outcome::build_failed},
                                                    {"runtime", Outcome::crashed},
                                                    {"correctness", Outcome::wrong_result},
                                                    {"constraints", Outcome::pruned}};
  const auto found = words.find(invalidity);
  if (found != words.end()) return found->second;
  object.fault("invalidity", fmt::format("unknown word \"{}\"", excerpt(invalidity)),
               "correct, timeout, compile, runtime, correctness or constraints");
  return Outcome::crashed;
}

class T4Reader : public RecordingReader {
 public:
  T4Reader(const std::string& where, Faults& faults, std::size_t memory)
      : builder_("T4", where, faults, memory) {}

  void head(ObjectReader& root) override {
    root.object("metadata", [&](ObjectReader& metadata) {
      const std::string text = metadata.text("timeunit", "");
      unit_ = time_unit(text);
      if (!text.empty() && !unit_)
        metadata.fault("timeunit", fmt::format("unknown unit of time \"{}\"", excerpt(text)),
                       "milliseconds, microseconds, nanoseconds or seconds");
      if (text.empty()) builder_.recording.deviates("metadata has no timeunit");
      if (!text.empty() && text != "milliseconds" && text != "microseconds" &&
          text != "nanoseconds" && text != "seconds")
        builder_.recording.deviates(fmt::format("timeunit is written \"{}\"", text));
      builder_.recording.device = metadata.text("device", "");
      builder_.recording.kernel = metadata.text("kernel", "");
      builder_.recording.problem_size = metadata.member("problem_size");
      values_ = metadata.member("tune_params");
    });
    builder_.keep_others(root.json(), {"schema_version", "results"}, {"metadata"});
    if (!root.has("metadata")) builder_.recording.deviates("metadata is missing");
    if (!root.has("schema_version")) builder_.recording.deviates("schema_version is missing");
    if (const Json& version = root.member("schema_version");
        root.has("schema_version") && version != Json("1.0.0"))
      builder_.recording.deviates(
          fmt::format("schema_version is {}, not \"1.0.0\"", excerpt(json_text(version))));
  }

  void result(ObjectReader& object) override {
    RecordedResult result;
    const std::string where = object.where();
    result.configuration =
        builder_.configuration(object.member("configuration"), object.where("configuration"));
    const Json& configuration = object.member("configuration");
    if (order_.empty() && configuration.is_object())
      for (const auto& [name, value] : configuration.items()) order_.push_back(name);
    const std::string invalidity = object.text("invalidity", "");
    if (invalidity.empty()) object.fault("invalidity", "is missing (a text)");
    if (!invalidity.empty()) result.outcome = outcome_of(invalidity, object);
    if (object.has("correctness")) result.correctness = object.real("correctness");
    if (!object.has("correctness")) builder_.recording.deviates("correctness is missing");
    result.timestamp = object.text("timestamp", "");
    result.objectives = object.texts("objectives");
    const double unit = measurements(object, result);
    times(object, result, unit);
    if (result.outcome == Outcome::ok && !result.seconds) mean_of_runtimes(object, result);
    if (result.outcome != Outcome::ok && result.failure.empty()) result.failure = invalidity;
    if (const auto stated = stated_outcome(object)) result.outcome = *stated;
    for (const auto& [key, value] : object.json().items())
      if (!known(key)) result.rest[key] = value;
    builder_.add(std::move(result), where);
  }

  Recording finish() override {
    if (!objective_.empty()) builder_.recording.objective = objective_;
    return builder_.finish(order_, values_);
  }

 private:
  static bool known(const std::string& key) {
    for (const char* name : {"configuration", "invalidity", "correctness", "timestamp",
                             "objectives", "measurements", "times", outcome_member})
      if (key == name) return true;
    return false;
  }

  /// Returns the unit [s] of the runtimes: a unit beside the time outranks the metadata.
  double measurements(ObjectReader& object, RecordedResult& result) {
    double unit = unit_.value_or(1e-3);
    if (objective_.empty() && !result.objectives.empty()) objective_ = result.objectives.front();
    object.each("measurements", [&](ObjectReader& measurement) {
      Metric metric{measurement.text("name"), measurement.member("value"),
                    measurement.text("unit", "")};
      if (metric.name != "time") {
        result.metrics.push_back(std::move(metric));
        return;
      }
      if (const auto said = time_unit(metric.unit)) {
        if (unit_ && *said != *unit_)
          builder_.recording.deviates("the unit beside a time is not that of the metadata");
        unit = *said;
      } else if (!metric.unit.empty() && metric.value.is_number()) {
        measurement.fault("unit", fmt::format("unknown unit of time \"{}\"", excerpt(metric.unit)),
                          "ms, us, ns or s");
      }
      if (metric.value.is_string()) {
        result.failure = metric.value.get<std::string>();
        if (result.outcome == Outcome::ok)
          builder_.recording.deviates("a result that is no time is called correct");
        if (result.outcome == Outcome::ok) result.outcome = Outcome::crashed;
      } else if (result.outcome == Outcome::ok) {
        result.seconds = builder_.seconds(metric.value, unit, measurement.where("value"));
      }
    });
    return unit;
  }

  void times(ObjectReader& object, RecordedResult& result, double unit) {
    if (!object.has("times")) object.fault("times", "is missing (an object)");
    object.object("times", [&](ObjectReader& times) {
      const char* compilation = "compilation_time";
      if (!times.has(compilation) && times.has("compilation")) {
        compilation = "compilation";
        builder_.recording.deviates("times.compilation instead of times.compilation_time");
      }
      const auto cost = [&](const char* key) {
        return builder_.cost(times.member(key), unit, times.where(key));
      };
      result.build = cost(compilation);
      result.framework = cost("framework");
      result.search = cost("search_algorithm");
      result.validate = cost("validation");
      result.measure = cost("benchmark");
      result.runtimes = builder_.runtimes(times.member("runtimes"), unit, times.where("runtimes"));
      for (const auto& [key, value] : times.json().items())
        if (key != "compilation_time" && key != "compilation" && key != "framework" &&
            key != "search_algorithm" && key != "validation" && key != "runtimes" &&
            key != "benchmark")
          result.rest["times"][key] = value;
    });
    if (result.outcome == Outcome::ok && result.runtimes.empty())
      builder_.recording.deviates("a correct result has no runtimes");
  }

  void mean_of_runtimes(ObjectReader&, RecordedResult& result) {
    double sum = 0;
    for (const double seconds : result.runtimes) sum += seconds;
    if (!result.runtimes.empty())
      result.seconds = sum / static_cast<double>(result.runtimes.size());
    builder_.recording.deviates("a correct result has no measurement \"time\"");
  }

  RecordingBuilder builder_;
  std::optional<double> unit_;
  std::string objective_;
  Json values_;                     ///< listed in metadata, with those of no result
  std::vector<std::string> order_;  ///< of the parameters, as the first result has them
};

}  // namespace

std::unique_ptr<RecordingReader> t4_reader(const std::string& where, Faults& faults,
                                           std::size_t memory) {
  return std::make_unique<T4Reader>(where, faults, memory);
}

}  // namespace rooftune::replay
