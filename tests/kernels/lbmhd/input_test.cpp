// Input that problem.cpp of lbmhd refuses, and the initial states that it makes.
#include <catch2/catch.hpp>

#include "plasma.h"

using namespace rooftune::testing;

namespace {

std::string told(const Parameters& parameters) {
  const Refusal refusal = refusal_of([&] { populations(parameters); });
  return refusal.message + " | " + refusal.where + " | " + refusal.hint;
}

}  // namespace

TEST_CASE("a box that does not fit memory is refused with its size") {
  const std::string text = told({{"nx", "100000"}, {"ny", "100000"}, {"nz", "100000"}});
  CHECK(text.find("the lattice needs 1661") == 0);
  CHECK(text.find("--problem nx, ny, nz") != std::string::npos);
}

TEST_CASE("flows that blow up are refused") {
  const Parameters unstable = {{"nx", "65"},           {"ny", "65"},   {"nz", "65"},
                               {"amplitude", "0.061"}, {"nu", "0.01"}, {"eta", "0.01"}};
  CHECK(told(unstable).find("unstable: the grid Reynolds number") == 0);
  CHECK(told({{"amplitude", "0.3"}, {"nu", "1"}, {"eta", "1"}}).find("unstable: flow") == 0);
}

TEST_CASE("every initial state carries the moments of its flow") {
  for (const char* initial :
       {"orszag_tang_3d", "orszag_tang_2d", "alfven", "taylor_green", "abc", "uniform"}) {
    INFO(initial);
    Parameters p = {{"nx", "8"}, {"ny", "8"}, {"nz", "8"}, {"initial", initial}};
    const Populations start = populations(p);
    double mass = 0;
    for (const double f : start.f) mass += f;
    CHECK(mass == Approx(512).epsilon(1e-12));
    Plasma plasma(p);
    CHECK(plasma.largest_divergence() < 5e-17);
  }
}
