#include "study/readings.h"

#include "trial/statistics.h"

namespace rooftune::study {

void Readings::add(const std::string& ceiling, double rate) {
  if (rate > 0) rates_[ceiling].push_back(rate);
}

CeilingList Readings::summary() const {
  CeilingList all;
  for (const auto& [name, rates] : rates_) {
    Ceiling& ceiling = all.emplace_back();
    ceiling.name = name;
    ceiling.rate = {quantile(rates, 0.5), quantile(rates, 0.1), quantile(rates, 1)};
  }
  return all;
}

}  // namespace rooftune::study
