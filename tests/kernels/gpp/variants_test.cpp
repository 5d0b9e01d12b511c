// Variants of Sigma-GPP, compiled from a covering sample of the space, against the reference:
// awkward sizes, data that meets every branch, arrays at forbidden pages, two calls each.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <deque>

#include "gpp_problem.h"
#include "guarded_array.h"
#include "kernel/kernel.h"
#include "space/search_space.h"
#include "space/space_reader.h"
#include "variant_sample.h"

using namespace rooftune;
using namespace rooftune::testing;

namespace {

const std::filesystem::path home = ROOFTUNE_SOURCE_DIR;

Facts facts() {
  return on_small_machine({{"machine_numa_nodes", Value(2)}, {"energy_count", Value(5)}});
}

/// A call whose arrays lie between forbidden pages.
class Call {
 public:
  Call(const Kernel& kernel, const Sigma& sigma, Flush flush) {
    for (const std::int64_t size : {sigma.nb, sigma.ng, sigma.nc, sigma.nw})
      arguments_.push_back(&sizes_.emplace_back(size));
    for (const Argument& argument : kernel.arguments) {
      if (!argument.pointer) continue;
      const auto found = sigma.arrays.find(argument.name);
      inputs_.push_back(found != sigma.arrays.end()
                            ? found->second
                            : std::vector<double>(static_cast<std::size_t>(4 * sigma.nw), NAN));
      memory_.emplace_back(inputs_.back().size(), flush);
      std::copy(inputs_.back().begin(), inputs_.back().end(), memory_.back().data());
      arguments_.push_back(memory_.back().data());
    }
  }
  void** arguments() { return arguments_.data(); }
  std::vector<double> result() const {
    const double* const data = memory_.back().data();
    return {data, data + inputs_.back().size()};
  }
  /// Whether all arrays but the result are as they were.
  bool inputs_unchanged() const {
    for (std::size_t k = 0; k + 1 < inputs_.size(); ++k)
      if (std::memcmp(memory_[k].data(), inputs_[k].data(), 8 * inputs_[k].size()) != 0)
        return false;
    return true;
  }

 private:
  std::deque<std::int64_t> sizes_;
  std::vector<std::vector<double>> inputs_;
  std::deque<GuardedArray> memory_;
  std::vector<void*> arguments_;
};

struct Case {
  std::string name;
  Loaded problem;
  std::vector<double> wanted;
};

/// Poles without weight, poles far out that an energy comes near, a vanishing energy, bands of
/// both kinds in turn.
Loaded extreme() {
  Loaded problem = load(9, 3, 21, 3, 5);
  Sigma& s = problem.sigma;
  for (std::size_t k = 0; k < s["wtilde"].size(); k += 10) {
    s["wtilde"][k] = 1e-8;
    s["wtilde"][k + 1] = 1e-9;
  }
  for (std::size_t k = 4; k < s["wtilde"].size(); k += 14) {
    s["wtilde"][k] = 600;
    s["wtilde"][k + 1] = 0.1;
  }
  for (std::size_t n = 0; n < 9; ++n) s["occ"][n] = n % 2 == 0 ? 1 : 0;
  s["wx"][0] = 599.2;
  s["wx"][7] = 599.8;
  s["wx"][10] = 1e-12;
  s["wx"][18] = 0.3;
  return problem;
}

std::vector<Case> cases() {
  std::vector<Case> result;
  const std::int64_t sizes[][5] = {
      {1, 1, 1, 1, 1}, {3, 2, 7, 2, 0}, {5, 9, 8, 3, 9}, {11, 3, 67, 5, 4}, {67, 2, 17, 1, 30}};
  for (const auto& s : sizes) {
    std::string name;
    for (const std::int64_t size : s) name += std::to_string(size) + " ";
    result.push_back({name, load(s[0], s[1], s[2], s[3], s[4]), {}});
  }
  result.push_back({"extreme data", extreme(), {}});
  for (Case& c : result) c.wanted = c.problem.sigma.reference();
  return result;
}

void check(const Kernel& kernel, const BuiltFunction& variant, const std::vector<Case>& cases) {
  for (const Case& c : cases)
    for (const Flush flush : {Flush::start, Flush::end}) {
      INFO(c.name << (flush == Flush::start ? "first" : "last") << " elements at a forbidden page");
      Call call(kernel, c.problem.sigma, flush);
      variant.prepare(call.arguments());
      for (int time = 0; time < 2; ++time) {
        variant.call(call.arguments());
        CHECK(difference(call.result(), c.wanted, c.problem.scale) <= kernel.tolerance.relative);
      }
      CHECK(call.inputs_unchanged());
    }
}

}  // namespace

TEST_CASE("extreme data has poles of no weight and poles beyond limitone") {
  Loaded problem = extreme();
  int vanishing = 0, beyond = 0;
  Sigma& s = problem.sigma;
  for (std::size_t k = 0; k < s["wtilde"].size(); k += 2)
    for (const double x : s["wx"]) {
      const double re = s["wtilde"][k], im = s["wtilde"][k + 1];
      const double distance = (x - re) * (x - re) + im * im;
      const double ratio = (re * re + im * im) / distance;
      vanishing += distance <= 0.25 && ratio <= 1e-12;
      beyond += distance > 0.25 && ratio >= 250000;
    }
  CHECK(vanishing > 0);
  CHECK(beyond > 0);
}

TEST_CASE("variants of gpp agree with the reference") {
  const Kernel kernel = find_kernel("gpp", home);
  const SearchSpace space = read_space(find_space(kernel, "openmp", home), facts());
  const std::vector<Configuration> sample =
      few_by_day(covering_sample(space, "formula", 9, 20240612));
  const std::vector<Case> all = cases();
  check_variants(kernel, space, sample,
                 [&](const BuiltFunction& variant) { check(kernel, variant, all); });
}

TEST_CASE("the space of gpp holds for any number of energies and any vectors") {
  const Kernel kernel = find_kernel("gpp", home);
  for (const int energies : {1, 2, 3, 64})
    for (const int bits : {0, 128, 256, 512}) {
      INFO(energies << " energies, " << bits << " bits");
      Facts here = facts();
      here["energy_count"] = Value(energies);
      here["machine_simd_bits"] = Value(bits);
      const SearchSpace space = read_space(find_space(kernel, "openmp", home), here);
      CHECK(space.size() > 1000);
      CHECK(space.allowed(space.baseline()));
      bool near = false;
      for (const Configuration& neighbour : space.neighbours(space.baseline()))
        near = near || neighbour.at("formula") == Value("fractions");
      CHECK(near);
    }
}

TEST_CASE("the Kokkos space of gpp holds on every execution space") {
  const Kernel kernel = find_kernel("gpp", home);
  for (const char* where : {"serial", "openmp", "cuda"}) {
    INFO(where);
    Facts here = facts();
    here["kokkos_space"] = Value(where);
    here["bands"] = Value(2763);
    const SearchSpace space = read_space(find_space(kernel, "kokkos", home), here);
    CHECK(space.size() > 500);
    CHECK(space.allowed(space.baseline()));
    Configuration lanes = space.baseline();
    lanes.set("policy", Value("team"));
    CHECK(space.allowed(lanes));
    lanes.set("vector_length", Value(32));
    CHECK(space.allowed(lanes) == (std::string(where) == "cuda"));
    lanes.set("vector_length", Value(1));
    lanes.set("scratch", Value(0));
    CHECK_FALSE(space.allowed(lanes));
    lanes.set("scratch", Value(1));
    CHECK(space.allowed(lanes));
  }
}
