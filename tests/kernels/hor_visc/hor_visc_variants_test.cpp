// Variants of hor_visc, compiled while the test runs from a covering sample of the space, against
// the reference: awkward sizes, arrays at forbidden pages, two calls.
#include <catch2/catch.hpp>

#include "guarded_array.h"
#include "kernel/kernel.h"
#include "sea.h"
#include "space/search_space.h"
#include "space/space_reader.h"
#include "variant_sample.h"

using namespace rooftune;
using namespace rooftune::testing;

namespace {

const std::filesystem::path home = ROOFTUNE_SOURCE_DIR;

void compare(const BuiltFunction& variant, const Sea& s, const Tolerance& allowed, Flush flush) {
  const std::vector<double> empty(s.du.size(), NAN);
  GuardedCopy metric(s.metric, flush), h(s.h, flush), u(s.u, flush), v(s.v, flush),
      du(empty, flush), dv(empty, flush);
  std::int64_t nx = s.nx, ny = s.ny, nz = s.nz;
  double kh = s.kh, ah = s.ah;
  std::vector<double*> pointers;
  for (GuardedCopy* array : {&metric, &h, &u, &v, &du, &dv})
    pointers.push_back(array->memory.data());
  void* arguments[] = {&nx,         &ny,         &nz,         &kh,         &ah,        pointers[0],
                       pointers[1], pointers[2], pointers[3], pointers[4], pointers[5]};
  variant.prepare(arguments);
  for (int call = 1; call <= 2; ++call) {
    INFO("call " << call);
    variant.call(arguments);
    variant.finish(arguments);
    CHECK(excess(du.values(), s.du, allowed) <= 1);
    CHECK(excess(dv.values(), s.dv, allowed) <= 1);
  }
  CHECK(metric.values() == s.metric);
  CHECK(h.values() == s.h);
  CHECK(u.values() == s.u);
  CHECK(v.values() == s.v);
}

std::vector<Sea> seas() {
  std::vector<Sea> result;
  const std::vector<std::vector<std::string>> sizes = {
      {"1", "1", "1"}, {"3", "2", "9"}, {"8", "5", "1"}, {"17", "70", "3"}, {"141", "9", "17"}};
  for (const auto& size : sizes)
    for (const char* geometry : {"plane", "sphere"}) {
      result.emplace_back(
          Parameters{{"nx", size[0]},
                     {"ny", size[1]},
                     {"nz", size[2]},
                     {"geometry", geometry},
                     {"land", std::string(geometry) == "plane" ? "none" : "islands"}});
      result.back().solve();
    }
  return result;
}

}  // namespace

TEST_CASE("variants of hor_visc agree with the reference") {
  const Kernel kernel = find_kernel("hor_visc", home);
  Facts facts = problem_parameters(kernel, {});
  facts["open_points"] = Value(20000);
  const SearchSpace space = read_space(find_space(kernel, "openmp", home), on_small_machine(facts));
  const std::vector<Configuration> sample =
      few_by_day(covering_sample(space, "sweep", 13, 20240611));
  const std::vector<Sea> problems = seas();
  const auto check = [&](const BuiltFunction& variant) {
    for (const Sea& s : problems)
      for (const Flush flush : {Flush::start, Flush::end}) {
        INFO(s.nx << " x " << s.ny << " x " << s.nz << (flush == Flush::start ? " first" : " last")
                  << " elements at a forbidden page");
        compare(variant, s, kernel.tolerance, flush);
      }
  };
  check_variants(kernel, space, sample, check);
}
