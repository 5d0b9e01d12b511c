#include "trial/trial.h"

#include <algorithm>

namespace rooftune::trial {

bool Measurement::complete() const {
  return std::none_of(inputs.begin(), inputs.end(),
                      [](const Measurement& input) { return input.samples.empty(); });
}

Cost& Cost::operator+=(const Cost& other) {
  build += other.build;
  validate += other.validate;
  time += other.time;
  total += other.total;
  waiting += other.waiting;
  return *this;
}

double wall_of_call(const Trial& trial) {
  const Measurement& measured = *trial.measurement;
  const auto samples = static_cast<double>(measured.samples.size());
  // Several calls in one window last a millisecond, whatever they are.
  if (samples == 0 || measured.repeats > 1) return measured.seconds.value;
  return std::max(measured.seconds.value, trial.cost.time / samples);
}

double wall_of_round(const Trial& trial) {
  constexpr double settling = 0.01, retaking = 0.05;
  const double call = wall_of_call(trial);
  return trial.measurement->disturbed ? settling + retaking + 3 * call : settling + 2 * call;
}

double wall_of_entering(const Trial& trial) { return 2 * trial.cost.validate; }

}  // namespace rooftune::trial
