// Reader of results in the community's form T4, with the spellings of its real writers.
#include <fmt/format.h>

#include <numeric>

#include "core/fields.h"
#include "replay/recording_reader.h"

namespace rooftune::replay {
namespace {

Outcome outcome_of(const std::string& invalidity, ObjectReader& object) {
  for (const auto& [word, outcome] : t4_outcomes)
    if (invalidity == word) return outcome;
  object.fault("invalidity", fmt::format("unknown word \"{}\"", excerpt(invalidity)),
               "correct, timeout, compile, runtime, correctness or constraints");
  return Outcome::crashed;
}

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
    if (invalidity.empty())
      object.fault("invalidity", "is missing (a text)",
                   "correct, timeout, compile, runtime, correctness or constraints");
    else
      result.outcome = outcome_of(invalidity, object);
    result.timestamp = object.text("timestamp", "");
    const auto objectives = object.texts("objectives");
    if (recording.results.empty() && !objectives.empty()) recording.objective = objectives.front();
    unit_ = metadata_unit_.value_or(1e-3);
    object.each("measurements", [&](ObjectReader& one) { measurement(one, result); });
    times(object, result);
    if (result.outcome == Outcome::ok && !result.seconds) take_mean_of_runtimes(result);
    if (result.outcome != Outcome::ok && result.failure.empty()) result.failure = invalidity;
    take_stated_outcome(object, result);
    add(std::move(result), object.where());
  }

 private:
  void metadata(ObjectReader& object) {
    static const std::set<std::string> published{"milliseconds", "microseconds", "nanoseconds",
                                                 "seconds"};
    const std::string text = object.text("timeunit", "");
    metadata_unit_ = time_unit(text);
    if (text.empty())
      recording.deviates("metadata has no timeunit");
    else if (!metadata_unit_)
      object.fault("timeunit", fmt::format("unknown unit of time \"{}\"", excerpt(text)),
                   "milliseconds, microseconds, nanoseconds or seconds");
    else if (!published.contains(text))
      recording.deviates(fmt::format("timeunit is written \"{}\"", text));
    recording.device = object.text("device", "");
    recording.kernel = object.text("kernel", "");
    recording.problem_size = object.member("problem_size");
  }

  void configuration(ObjectReader& object, RecordedResult& result) {
    const Json& json = object.member("configuration");
    decode(json, Place(object.where("configuration"), faults_), result.configuration);
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
    if (const auto stated = time_unit(metric.unit)) {
      if (metadata_unit_ && *stated != *metadata_unit_)
        recording.deviates("the unit beside a time is not that of the metadata");
      unit_ = *stated;
    } else if (!metric.unit.empty() && metric.value.is_number()) {
      object.fault("unit", fmt::format("unknown unit of time \"{}\"", excerpt(metric.unit)),
                   "ms, us, ns or s");
    }
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
      const bool short_name = !times.has("compilation_time") && times.has("compilation");
      if (short_name) recording.deviates("times.compilation instead of times.compilation_time");
      result.build = cost(times, short_name ? "compilation" : "compilation_time");
      result.framework = cost(times, "framework");
      result.search = cost(times, "search_algorithm");
      result.validate = cost(times, "validation");
      result.measure = cost(times, "benchmark");
      result.runtimes = runtimes(times, "runtimes");
    });
    if (result.outcome == Outcome::ok && result.runtimes.empty())
      recording.deviates("a correct result has no runtimes");
  }

  void take_mean_of_runtimes(RecordedResult& result) {
    const std::vector<double>& all = result.runtimes;
    if (!all.empty())
      result.seconds =
          std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
    recording.deviates("a correct result has no measurement \"time\"");
  }

  std::optional<double> metadata_unit_;
};

}  // namespace

std::unique_ptr<RecordingReader> t4_reader(const std::string& where, Faults& faults,
                                           std::size_t memory) {
  return std::make_unique<T4Reader>("T4", where, faults, memory);
}

}  // namespace rooftune::replay
