#include "study/machine_readings.h"

#include "trial/statistics.h"

namespace rooftune::study {

void MachineReadings::read_if_due() {
  if (!roofs_ || Clock::now() < next_) return;
  const std::vector<double> now = roofs_->rates();
  for (std::size_t i = 0; i < now.size(); ++i)
    if (now[i] > 0) rates_[i].push_back(now[i]);
  next_ = Clock::now() + pause();
}

std::vector<Ceiling> MachineReadings::summary() const {
  std::vector<Ceiling> result;
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    if (rates_[i].empty()) continue;
    Ceiling ceiling;
    ceiling.name = roofs_->names()[i];
    ceiling.rate = {quantile(rates_[i], 0.5), quantile(rates_[i], 0.1), quantile(rates_[i], 1)};
    result.push_back(std::move(ceiling));
  }
  return result;
}

}  // namespace rooftune::study
