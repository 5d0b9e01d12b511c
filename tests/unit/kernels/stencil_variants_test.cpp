// Variants of the stencil kernels, compiled from a covering sample of their spaces, against their
// references: awkward sizes, arrays at forbidden pages, several calls, several problems per
// variant.
#include <catch2/catch.hpp>
#include <cstring>

#include "kernel/kernel.h"
#include "kernel_call.h"
#include "space/search_space.h"
#include "space/space_reader.h"
#include "variant_sample.h"

using namespace rooftune;
using namespace rooftune::testing;

namespace {

const std::filesystem::path home = ROOFTUNE_SOURCE_DIR;
using Problems = std::vector<Facts>;

class Comparison {
 public:
  Comparison(const Kernel& kernel, const Problems& problems)
      : kernel_(kernel), reference_(kernel), problems_(problems) {}

  /// Every problem with arrays at either forbidden page; two calls, each compared.
  void check(const BuiltFunction& variant) const {
    for (const auto& chosen : problems_)
      for (const Flush flush : {Flush::start, Flush::end}) {
        const Facts parameters = problem_parameters(kernel_, chosen);
        std::string text;
        for (const auto& [name, value] : chosen) text += name + "=" + to_text(value) + " ";
        INFO(text << (flush == Flush::start ? "first" : "last") << " elements at a forbidden page");
        KernelCall wanted(kernel_, parameters, flush), got(kernel_, parameters, flush);
        variant.prepare(got.arguments());
        for (int call = 1; call <= 2; ++call) {
          INFO("call " << call);
          reference_.call(wanted.arguments());
          variant.call(got.arguments());
          variant.finish(got.arguments());
          compare(got.arrays(), wanted.arrays());
        }
      }
  }

 private:
  void compare(const std::vector<std::vector<double>>& got,
               const std::vector<std::vector<double>>& wanted) const {
    std::size_t array = 0;
    for (const Argument& argument : kernel_.arguments) {
      if (!argument.pointer) continue;
      INFO("array " << argument.name);
      const auto &mine = got[array], &theirs = wanted[array];
      ++array;
      if (argument.access == Argument::Access::read)
        CHECK(std::memcmp(mine.data(), theirs.data(), mine.size() * sizeof(double)) == 0);
      else
        CHECK(excess(mine, theirs, kernel_.tolerance) <= 1);
    }
  }

  const Kernel& kernel_;
  BuiltFunction reference_;
  Problems problems_;
};

/// `size` configurations per algorithm; `for_space` sets parameters that constraints of the space
/// look at.
void check_stencil(const std::string& name, const Problems& problems, std::size_t size,
                   const Facts& for_space) {
  const Kernel kernel = find_kernel(name, home);
  const SearchSpace space =
      read_space(find_space(kernel, "openmp", home), on_small_machine(for_space));
  const std::vector<Configuration> sample =
      few_by_day(covering_sample(space, "staging", size, 20240611));
  const Comparison comparison(kernel, problems);
  check_variants(kernel, space, sample,
                 [&](const BuiltFunction& variant) { comparison.check(variant); });
}

const Problems lengths = {{{"n", "1"}},  {{"n", "2"}},  {{"n", "7"}},    {{"n", "8"}},
                          {{"n", "17"}}, {{"n", "63"}}, {{"n", "1031"}}, {{"n", "9000"}}};

/// Lengths below the halo, below a vector, odd, and above a tile; step counts that no time block
/// divides.
Problems lengths_and_steps() {
  Problems result;
  for (const char* n : {"1", "2", "3", "4", "10", "33", "517", "4999"})
    for (const char* steps : {"1", "6"}) result.push_back({{"n", n}, {"steps", steps}});
  result.push_back({{"n", "2600"}, {"steps", "67"}});
  // Long enough that threads are at work at the same time: a neighbour read too late shows.
  result.push_back({{"n", "300001"}, {"steps", "3"}});
  return result;
}

/// Neighbours farther away, also farther than a tile is long.
Problems shifted(const Problems& problems) {
  Problems result = problems;
  for (const char* n : {"1", "15", "17", "300", "5001"})
    for (const char* shift : {"2", "8", "64"}) result.push_back({{"n", n}, {"shift", shift}});
  return result;
}

Problems boxes_and_steps() {
  Problems result;
  const std::vector<std::vector<const char*>> boxes = {
      {"1", "1", "1"},  {"3", "3", "3"},   {"3", "5", "7"},   {"1", "9", "4"},   {"9", "2", "9"},
      {"19", "4", "5"}, {"33", "40", "3"}, {"10", "3", "37"}, {"26", "69", "37"}};
  for (const auto& box : boxes)
    for (const char* steps : {"1", "7"})
      result.push_back({{"nx", box[0]}, {"ny", box[1]}, {"nz", box[2]}, {"steps", steps}});
  return result;
}

}  // namespace

TEST_CASE("variants of triad agree with the reference") { check_stencil("triad", lengths, 14, {}); }

TEST_CASE("variants of euler agree with the reference") { check_stencil("euler", lengths, 14, {}); }

TEST_CASE("variants of finite_difference agree with the reference") {
  check_stencil("finite_difference", shifted(lengths), 14, {{"shift", Value(1)}});
}

TEST_CASE("variants of diffusion agree with the reference") {
  check_stencil("diffusion", shifted(lengths_and_steps()), 5,
                {{"n", Value(1000)}, {"steps", Value(64)}, {"shift", Value(1)}});
}

TEST_CASE("variants of diffusion3d agree with the reference") {
  check_stencil("diffusion3d", boxes_and_steps(), 8, {{"steps", Value(64)}, {"nx", Value(100)}});
}
