// What variants are set to and how far their results are apart. Nothing here knows Catch2, so that
// benchmarks link it.
#include "variant_sample.h"

#include <cmath>

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
