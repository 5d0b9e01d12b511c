// Variants of a sample, one after the other. The caller's checks use Catch2's assertions.
#include "variant_sample.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "space/covering_sample.h"

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

void check_variants(const Kernel& kernel, const SearchSpace& space,
                    const std::vector<Configuration>& sample,
                    const std::function<void(const BuiltFunction&)>& check) {
  CHECK(missing_values(space, sample) == std::vector<std::string>{});
  {
    INFO("no knob defined");
    const BuiltFunction plain(kernel, space, nullptr);
    plain.set_openmp(2, "static", 0);
    check(plain);
  }
  for (const Configuration& configuration : sample) {
    INFO(configuration.key());
    const BuiltFunction variant(kernel, space, &configuration);
    set_openmp(variant, configuration);
    check(variant);
  }
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
