// Reader of KTT's JSON output: configurations as lists of named values, durations in the unit of
// its metadata, hardware counters where it profiled.
#include <fmt/format.h>

#include "replay/recording_builder.h"
#include "replay/time_unit.h"

namespace rooftune::replay {
namespace {

std::optional<Outcome> outcome_of(const std::string& status) {
  if (status == "Ok") return Outcome::ok;
  if (status == "CompilationFailed") return Outcome::build_failed;
  if (status == "ValidationFailed") return Outcome::wrong_result;
  if (status == "DeviceLimitsExceeded") return Outcome::out_of_memory;
  if (status == "ComputationFailed") return Outcome::crashed;
  return std::nullopt;
}

class KttReader : public RecordingReader {
 public:
  KttReader(const std::string& where, Faults& faults, std::size_t memory)
      : builder_("KTT output", where, faults, memory) {}

  void head(ObjectReader& root) override {
    root.object("Metadata", [&](ObjectReader& metadata) {
      const std::string word = metadata.text("TimeUnit", "");
      const auto unit = time_unit(word);
      if (!word.empty() && !unit)
        metadata.fault("TimeUnit", fmt::format("unknown unit of time \"{}\"", excerpt(word)),
                       "Nanoseconds, Microseconds, Milliseconds or Seconds");
      unit_ = unit.value_or(1e-3);
      if (word.empty()) builder_.recording.deviates("Metadata has no TimeUnit");
      builder_.recording.device = metadata.text("Device", "");
      timestamp_ = metadata.text("Timestamp", "");
      builder_.recording.rest["Metadata"] = metadata.json();
    });
    if (!root.has("Metadata")) builder_.recording.deviates("Metadata is missing");
  }

  void result(ObjectReader& object) override {
    RecordedResult result;
    result.timestamp = timestamp_;
    configuration(object, result);
    const std::string status = object.text("Status");
    const auto outcome = outcome_of(status);
    if (!outcome)
      builder_.recording.deviates(
          fmt::format("Status is \"{}\", none of KTT's; taken for a failure", excerpt(status)));
    result.outcome = outcome.value_or(Outcome::crashed);
    if (result.outcome != Outcome::ok) result.failure = status;
    if (builder_.recording.kernel.empty())
      builder_.recording.kernel = object.text("KernelName", "");
    if (result.outcome == Outcome::ok)
      result.seconds =
          builder_.seconds(object.member("TotalDuration"), unit_, object.where("TotalDuration"));
    const auto cost = [&](const char* key) {
      return builder_.cost(object.member(key), unit_, object.where(key));
    };
    result.search = cost("SearcherOverhead");
    result.validate = cost("ValidationOverhead");
    // Compilation is most of KTT's overhead.
    result.build = cost("TotalOverhead");
    result.framework = cost("DataMovementOverhead");
    if (result.seconds) result.runtimes = {*result.seconds};
    object.each("ComputationResults", [&](ObjectReader& run) { computation(run, result); });
    builder_.add(std::move(result), object.where());
  }

  Recording finish() override { return builder_.finish(order_); }

 private:
  void configuration(ObjectReader& object, RecordedResult& result) {
    const bool first = order_.empty();
    object.each("Configuration", [&](ObjectReader& pair) {
      const std::string name = pair.text("Name");
      const Json& value = pair.member("Value");
      if (value.is_null() || value.is_structured()) {
        pair.fault("Value", "expected a number, text or truth");
        return;
      }
      if (result.configuration.has(name)) pair.fault("Name", "stands twice: " + excerpt(name));
      result.configuration.set(name, value_from_json(value));
      if (first) order_.push_back(name);
    });
    if (!object.has("Configuration")) object.fault("Configuration", "is missing (an array)");
  }

  void computation(ObjectReader& run, RecordedResult& result) {
    const auto metric = [&](const std::string& name, const Json& value) {
      if (value.is_number() || value.is_string()) result.metrics.push_back({name, value, ""});
    };
    // The sum over all computations is the time; each must be one all the same.
    builder_.cost(run.member("Duration"), unit_, run.where("Duration"));
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

  RecordingBuilder builder_;
  double unit_ = 1e-3;
  std::string timestamp_;
  std::vector<std::string> order_;
};

}  // namespace

std::unique_ptr<RecordingReader> ktt_reader(const std::string& where, Faults& faults,
                                            std::size_t memory) {
  return std::make_unique<KttReader>(where, faults, memory);
}

}  // namespace rooftune::replay
