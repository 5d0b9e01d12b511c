#include "trial/paired_time.h"

#include <algorithm>

namespace rooftune::trial {

std::vector<double> ratios(const std::vector<PairedTime>& rounds) {
  std::vector<double> result;
  for (const auto& [first, second] : rounds) result.push_back(first / second);
  return result;
}

bool are_times(const std::vector<PairedTime>& rounds) {
  return std::all_of(rounds.begin(), rounds.end(),
                     [](const PairedTime& round) { return round.first > 0 && round.second > 0; });
}

std::vector<std::string> moved_along(const Configuration& before, const Configuration& after,
                                     const std::string& moved) {
  std::vector<std::string> along;
  for (const auto& [name, value] : after.values())
    if (name != moved && !(value == before.at(name))) along.push_back(name);
  return along;
}

}  // namespace rooftune::trial
