// Variants of a sample, one after the other. The caller's checks use Catch2's assertions.
#include <catch2/catch.hpp>

#include "support/missing_values.h"
#include "variant_sample.h"

namespace rooftune::testing {

void check_variants(const Kernel& kernel, const SearchSpace& space,
                    const std::vector<Configuration>& sample,
                    const std::function<void(const BuiltFunction&)>& check) {
  CHECK(test::missing_values(space, sample) == std::vector<std::string>{});
  {
    INFO("every knob at its default");
    const BuiltFunction plain(kernel, space, space.baseline());
    plain.set_openmp(2, "static", 0);
    check(plain);
  }
  for (const Configuration& configuration : sample) {
    INFO(configuration.key());
    const BuiltFunction variant(kernel, space, configuration);
    set_openmp(variant, configuration);
    check(variant);
  }
}

}  // namespace rooftune::testing
