// The flops of a collision, counted by a number that counts, against the manifest and the README.
#include <catch2/catch.hpp>

#include "../../../kernels/lbmhd/plain.h"
#include "kernel/kernel.h"

namespace {

int adds, products, divisions;

struct Counted {
  double value = 0;
};
Counted operator+(Counted a, Counted b) { return ++adds, Counted{a.value + b.value}; }
Counted operator-(Counted a, Counted b) { return ++adds, Counted{a.value - b.value}; }
Counted operator-(Counted a) { return {-a.value}; }
Counted operator*(Counted a, Counted b) { return ++products, Counted{a.value * b.value}; }
Counted operator*(Counted a, double b) { return ++products, Counted{a.value * b}; }
Counted operator+(Counted a, double b) { return ++adds, Counted{a.value + b}; }
Counted operator/(double a, Counted b) { return ++divisions, Counted{a / b.value}; }

struct CountedCells {
  Counted* numbers;
  template <int K>
  Counted get() const {
    return numbers[K];
  }
  template <int K>
  void put(Counted v) const {
    numbers[K] = v;
  }
};

template <class Collision>
int flops_of(const Collision& collision) {
  Counted numbers[mhd::components];
  for (int k = 0; k < mhd::components; ++k) numbers[k].value = 0.1 + 0.01 * k;
  adds = products = divisions = 0;
  collision(CountedCells{numbers}, mhd::Rates{-0.5, 1.5, -0.25, 1.25});
  CHECK(divisions == 1);
  return adds + products + divisions;
}

}  // namespace

TEST_CASE("no collision needs fewer flops than the least work") {
  using namespace rooftune;
  const Kernel kernel = find_kernel("lbmhd", ROOFTUNE_SOURCE_DIR);
  const int paired = flops_of([](auto cells, auto rates) { mhd::collide<Counted>(cells, rates); });
  const int one_by_one =
      flops_of([](auto cells, auto rates) { mhd::collide_written_out<Counted>(cells, rates); });
  const Facts facts =
      problem_parameters(kernel, {{"nx", "3"}, {"ny", "5"}, {"nz", "7"}, {"steps", "11"}});
  const double least = work(kernel, facts).least.at("fp64").value() / (3 * 5 * 7 * 11);
  CHECK(paired == 463);
  CHECK(one_by_one == 988);
  CHECK(least == Approx(214));
  CHECK(least < paired);
}
