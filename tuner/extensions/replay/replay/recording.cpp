#include "replay/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "replay/recording_reader.h"

namespace rooftune::replay {

Cost RecordedResult::cost() const {
  Cost cost{build.value_or(0), validate.value_or(0), measure.value_or(0), 0};
  cost.waiting = cost.build;
  cost.total = cost.build + cost.validate + cost.time + search.value_or(0) + framework.value_or(0);
  return cost;
}

SearchSpace Recording::space() const {
  std::vector<Configuration> configurations;
  for (const RecordedResult& result : results) configurations.push_back(result.configuration);
  return SearchSpace::of_configurations(kernel.empty() ? "recorded space" : kernel, knobs,
                                        configurations);
}

void Recording::deviates(const std::string& words) {
  // A hostile file has thousands, too many to read.
  constexpr std::size_t most_deviations = 50;
  if (deviations.size() > most_deviations ||
      std::find(deviations.begin(), deviations.end(), words) != deviations.end())
    return;
  deviations.push_back(deviations.size() < most_deviations ? words : "more deviations follow");
}

Recording recording_of(const StudyRecord& study) {
  Faults faults;
  RecordingReader reader("Rooftune records", study.header.kernel, faults, SIZE_MAX);
  Recording& recording = reader.recording;
  recording.kernel = study.header.kernel;
  recording.device = study.header.machine;
  recording.problem_size = study.header.problem;
  for (const Trial& trial : study.history.trials()) {
    RecordedResult result;
    result.configuration = trial.configuration;
    result.outcome = trial.outcome;
    if (!trial.ok()) result.failure = trial.detail;
    if (trial.measurement) {
      result.seconds = trial.measurement->seconds.value;
      for (const Sample& sample : trial.measurement->samples)
        result.runtimes.push_back(sample.seconds);
      for (const auto& [name, value] : trial.measurement->figures)
        result.metrics.push_back({name, value, ""});
    }
    result.build = trial.cost.build;
    result.validate = trial.cost.validate;
    result.measure = trial.cost.time;
    result.timestamp = trial.started;
    reader.add(std::move(result), fmt::format("trial {}", trial.index));
  }
  return reader.finish();
}

}  // namespace rooftune::replay
