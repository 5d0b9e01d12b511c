// Reader of KTT's JSON output: configurations as lists of named values, durations in the unit of
// its metadata, hardware counters where it profiled.
#include <fmt/format.h>

#include "replay/recording_reader.h"

namespace rooftune::replay {
namespace {

const std::map<std::string, Outcome> outcomes{{"Ok", Outcome::ok},
                                              {"CompilationFailed", Outcome::build_failed},
                                              {"ValidationFailed", Outcome::wrong_result},
                                              {"DeviceLimitsExceeded", Outcome::out_of_memory},
                                              {"ComputationFailed", Outcome::crashed}};

class KttReader : public RecordingReader {
 public:
  using RecordingReader::RecordingReader;

  void head(ObjectReader& root) override {
    root.object("Metadata", [&](ObjectReader& metadata) {
      const std::string word = metadata.text("TimeUnit", "");
      const auto unit = time_unit(word);
      if (!word.empty() && !unit)
        metadata.fault("TimeUnit", fmt::format("unknown unit of time \"{}\"", excerpt(word)),
                       "Nanoseconds, Microseconds, Milliseconds or Seconds");
      unit_ = unit.value_or(1e-3);
      if (word.empty()) recording.deviates("Metadata has no TimeUnit");
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
    const auto outcome = outcomes.find(status);
    if (outcome == outcomes.end())
      recording.deviates(
          fmt::format("Status is \"{}\", none of KTT's; taken for a failure", excerpt(status)));
    result.outcome = outcome == outcomes.end() ? Outcome::crashed : outcome->second;
    if (result.outcome != Outcome::ok) result.failure = status;
    if (recording.kernel.empty()) recording.kernel = object.text("KernelName", "");
    if (result.outcome == Outcome::ok)
      result.seconds = seconds(object.member("TotalDuration"), object.where("TotalDuration"));
    result.search = cost(object, "SearcherOverhead");
    result.validate = cost(object, "ValidationOverhead");
    // Compilation is most of KTT's overhead.
    result.build = cost(object, "TotalOverhead");
    result.framework = cost(object, "DataMovementOverhead");
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
    // The sum over all computations is the time; each must be one all the same.
    cost(run, "Duration");
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

std::unique_ptr<RecordingReader> ktt_reader(const std::string& where, Faults& faults,
                                            std::size_t memory) {
  return std::make_unique<KttReader>("KTT output", where, faults, memory);
}

}  // namespace rooftune::replay
