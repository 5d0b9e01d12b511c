// Variants of hor_visc, compiled while the test runs from a covering sample of the space, against
// the reference: awkward sizes, arrays at forbidden pages, two calls.
#include <catch2/catch.hpp>
#include <cstring>

#include "built_function.h"
#include "guarded_array.h"
#include "kernel/catalogue.h"
#include "sea.h"
#include "space/covering_sample.h"

using namespace rooftune;
using namespace rooftune::testing;

namespace {

const std::filesystem::path home = ROOFTUNE_SOURCE_DIR;

SearchSpace space_of(const Kernel& kernel) {
  Facts facts = problem_parameters(kernel, {});
  facts.insert({{"machine_cores", Value(2)},
                {"machine_threads", Value(3)},
                {"machine_numa_nodes", Value(1)},
                {"machine_simd_bits", Value(simd_bits())},
                {"machine_l1_bytes", Value(49152)},
                {"machine_l2_bytes", Value(2097152)},
                {"machine_l3_bytes", Value(0)},
                {"machine_huge_pages", Value(true)},
                {"open_points", Value(20000)}});
  return read_space(find_space(kernel, "openmp", home), facts);
}

/// An array of the call between pages that nobody may touch.
struct Guarded {
  Guarded(const std::vector<double>& from, Flush flush)
      : count(from.size()), memory(from.size(), flush) {
    std::memcpy(memory.data(), from.data(), count * sizeof(double));
  }
  bool same(const std::vector<double>& as) const {
    return std::memcmp(memory.data(), as.data(), count * sizeof(double)) == 0;
  }
  std::size_t count;
  GuardedArray memory;
};

/// Largest difference over what the manifest allows; infinite for a NaN.
double excess(const Guarded& got, const std::vector<double>& wanted, const Tolerance& allowed) {
  std::vector<double> error(wanted.size());
  for (std::size_t n = 0; n < wanted.size(); ++n) error[n] = got.memory.data()[n] - wanted[n];
  return largest(error) / (allowed.absolute + allowed.relative * largest(wanted));
}

void compare(const BuiltFunction& variant, const Sea& s, const Tolerance& allowed, Flush flush) {
  const std::vector<double> empty(s.du.size(), NAN);
  Guarded metric(s.metric, flush), h(s.h, flush), u(s.u, flush), v(s.v, flush), du(empty, flush),
      dv(empty, flush);
  std::int64_t nx = s.nx, ny = s.ny, nz = s.nz;
  double kh = s.kh, ah = s.ah;
  std::vector<double*> pointers;
  for (Guarded* array : {&metric, &h, &u, &v, &du, &dv}) pointers.push_back(array->memory.data());
  void* arguments[] = {&nx,         &ny,         &nz,         &kh,         &ah,        pointers[0],
                       pointers[1], pointers[2], pointers[3], pointers[4], pointers[5]};
  variant.prepare(arguments);
  for (int call = 1; call <= 2; ++call) {
    INFO("call " << call);
    variant.call(arguments);
    variant.finish(arguments);
    CHECK(excess(du, s.du, allowed) <= 1);
    CHECK(excess(dv, s.dv, allowed) <= 1);
  }
  CHECK(metric.same(s.metric));
  CHECK(h.same(s.h));
  CHECK(u.same(s.u));
  CHECK(v.same(s.v));
}

std::vector<Sea> seas() {
  std::vector<Sea> result;
  const std::vector<std::vector<std::string>> sizes = {
      {"1", "1", "1"}, {"3", "2", "9"}, {"8", "5", "1"}, {"17", "70", "3"}, {"141", "9", "17"}};
  for (const auto& size : sizes)
    for (const char* geometry : {"plane", "sphere"}) {
      result.emplace_back(std::map<std::string, std::string>{
          {"nx", size[0]},
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
  const SearchSpace space = space_of(kernel);
  const std::vector<Configuration> sample = covering_sample(space, "sweep", 13, 20240611);
  CHECK(missing_values(space, sample) == std::vector<std::string>{});
  const std::vector<Sea> problems = seas();
  const auto check = [&](const BuiltFunction& variant) {
    for (const Sea& s : problems)
      for (const Flush flush : {Flush::start, Flush::end}) {
        INFO(s.nx << " x " << s.ny << " x " << s.nz << (flush == Flush::start ? " first" : " last")
                  << " elements at a forbidden page");
        compare(variant, s, kernel.tolerance, flush);
      }
  };
  {
    INFO("no knob defined");
    const BuiltFunction plain(kernel, space, nullptr);
    plain.set_openmp(2, "static", 0);
    check(plain);
  }
  for (const Configuration& configuration : sample) {
    INFO(configuration.key());
    const BuiltFunction variant(kernel, space, &configuration);
    variant.set_openmp(static_cast<int>(configuration.at("threads").integer()),
                       configuration.at("schedule").text(),
                       static_cast<int>(configuration.at("chunk").integer()));
    check(variant);
  }
}
