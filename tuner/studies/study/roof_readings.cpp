#include "study/roof_readings.h"

#include <algorithm>

#include "core/list.h"

namespace rooftune::study {

RoofReadings::RoofReadings(const SearchOptions& options, Seconds best, Seconds baseline) {
  if (options.roofs) roofs_ = options.roofs(best, baseline);
  for (const std::string& name : roofs_.names) read_.push_back({name, {}});
}

void RoofReadings::read() {
  if (read_.empty()) return;
  const Numbers rates = roofs_.rates();
  for (const size_t i : indices(read_)) read_[i].rates.push_back(rates[i]);
}

std::vector<RacedRoof> RoofReadings::first_rounds(size_t rounds) const {
  std::vector<RacedRoof> result = read_;
  std::erase_if(result, [](const RacedRoof& roof) {
    return std::ranges::any_of(roof.rates, [](double rate) { return rate <= 0; });
  });
  for (RacedRoof& roof : result) roof.rates.resize(rounds);
  return result;
}

}  // namespace rooftune::study
