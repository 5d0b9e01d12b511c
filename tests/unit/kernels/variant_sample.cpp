// What variants are set to and how far their results are apart. Nothing here knows Catch2, so that
// benchmarks link it.
#include "variant_sample.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "support/night.h"

namespace rooftune::testing {

Facts on_small_machine(Facts facts) {
  facts.insert({{"machine_cores", Value(2)},
                {"machine_threads", Value(3)},
                {"machine_numa_nodes", Value(1)},
                {"machine_simd_bits", Value(simd_bits())},
                {"machine_l1_bytes", Value(49152)},
                {"machine_l2_bytes", Value(2097152)},
                {"machine_l3_bytes", Value(0)},
                {"machine_huge_pages", Value(true)},
                {"machine_fast_memory", Value(false)}});
  return facts;
}

std::vector<Configuration> few_by_day(std::vector<Configuration> all) {
  if (at_night() && !sanitized) return all;
  std::vector<Configuration> few;
  std::set<std::pair<std::string, std::string>> seen;
  const auto fresh = [&](const Configuration& one) {
    return std::count_if(one.values().begin(), one.values().end(), [&](const auto& entry) {
      return !seen.contains({entry.first, to_text(entry.second)});
    });
  };
  while (true) {
    const auto best = std::max_element(
        all.begin(), all.end(),
        [&](const Configuration& a, const Configuration& b) { return fresh(a) < fresh(b); });
    if (best == all.end() || fresh(*best) == 0) return few;
    for (const auto& [knob, value] : best->values()) seen.emplace(knob, to_text(value));
    few.push_back(*best);
  }
}

void set_openmp(const BuiltFunction& variant, const Configuration& configuration) {
  const auto number = [&](const char* knob) {
    return static_cast<int>(configuration.at(knob).integer());
  };
  variant.set_openmp(number("threads"), configuration.at("schedule").text(),
                     configuration.has("chunk") ? number("chunk") : 0);
}

double largest(const std::vector<double>& values) {
  double result = 0;
  for (const double value : values)
    if (!(std::abs(value) <= result)) result = std::isnan(value) ? INFINITY : std::abs(value);
  return result;
}

double difference(const std::vector<double>& got, const std::vector<double>& wanted) {
  std::vector<double> error(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) error[i] = got.at(i) - wanted[i];
  return largest(error);
}

double excess(const std::vector<double>& got, const std::vector<double>& wanted,
              const Tolerance& allowed) {
  const double error = difference(got, wanted);
  return error == 0 ? 0 : error / (allowed.absolute + allowed.relative * largest(wanted));
}

}  // namespace rooftune::testing
