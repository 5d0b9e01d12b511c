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

AnchorReadings readings_of(const StudyRecord& study) {
  Readings seen;
  for (const auto* race :
       {study.race ? &*study.race : nullptr, study.staircase ? &study.staircase->race : nullptr})
    if (race)
      for (const RacedRoof& roof : race->roofs)
        for (const double rate : roof.rates) seen.add(roof.ceiling, rate);
  AnchorReadings all = study.anchors.value_or(AnchorReadings{});
  append(all.beside, seen.summary());
  return all;
}

}  // namespace rooftune::study
