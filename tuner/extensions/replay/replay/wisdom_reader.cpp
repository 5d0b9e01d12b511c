// Reader of Kernel Launcher's wisdom files: a line with the names of the knobs, then a line for
// each configuration that was the best on a device for a problem size.
#include <fmt/format.h>

#include "core/file.h"
#include "replay/recording_reader.h"

namespace rooftune::replay {
namespace {

class WisdomReader : public RecordingReader {
 public:
  using RecordingReader::RecordingReader;

  void head(ObjectReader& root) override {
    recording.kernel = root.text("key");
    recording.objective = root.text("objective", recording.objective);
    names_ = root.texts("tunable_parameters");
  }

  void result(ObjectReader& object) override {
    std::string device;
    object.object("environment",
                  [&](ObjectReader& environment) { device = environment.text("device_name", ""); });
    const Json& size = object.member("problem_size");
    if (recording.results.empty()) {
      recording.device = device;
      recording.problem_size = size;
    } else if (device != recording.device || size != recording.problem_size) {
      recording.deviates(
          "it holds several devices or problem sizes: only those of the first line are read");
      return;
    }
    RecordedResult result;
    const Json& values = object.member("config");
    if (!values.is_array() || values.size() != names_.size())
      return object.fault("config", fmt::format("expected {} values, as the first line names knobs",
                                                names_.size()));
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (values[i].is_null() || values[i].is_structured())
        return object.fault("config", i, "expected a number, text or truth");
      result.configuration.set(names_[i], value_from_json(values[i]));
    }
    result.seconds = seconds(object.member("time"), object.where("time"));
    if (result.seconds) result.runtimes = {*result.seconds};
    for (const auto& [name, value] : object.json().items())
      if (name != "time" && (value.is_number() || value.is_string()))
        result.metrics.push_back({name, value, ""});
    add(std::move(result), object.where());
  }
};

}  // namespace

bool begins_as_wisdom(const std::string& head) {
  const std::string line = head.substr(0, head.find('\n'));
  return line.starts_with('{') && line.find("\"tunable_parameters\"") != std::string::npos &&
         line.find("\"config\"") == std::string::npos;
}

Recording wisdom_recording(ByteSource& bytes, const std::string& where, std::size_t memory) {
  Faults faults;
  WisdomReader reader("Kernel Launcher wisdom", where, faults, memory);
  LineSource lines(bytes);
  std::string line;
  for (std::size_t number = 1; lines.next(line); ++number) {
    if (line.empty()) continue;
    const std::string place = fmt::format("{}:{}", where, number);
    const Json json = parse_json(line, place);
    ObjectReader object(json, place, faults);
    if (number == 1)
      reader.head(object);
    else
      reader.result(object);
    if (faults.size() >= most_recording_faults) faults.raise();
  }
  return reader.finish();
}

}  // namespace rooftune::replay
