// Tests of the rule that the best rate counts, and of what three windows say about it.
#include "probe/samples.h"

#include <catch2/catch.hpp>

using rooftune::Estimate;

namespace {
Samples of(const std::vector<double>& rates, double tolerance = 0.005) {
  Samples samples(tolerance);
  for (const double rate : rates) samples.add(rate, 0);
  return samples;
}
}  // namespace

TEST_CASE("Fewer than three windows reproduce nothing") {
  CHECK_FALSE(of({}).reproduced());
  CHECK(of({}).estimate() == Estimate{0, 0, 0});
  CHECK_FALSE(of({100, 100}).reproduced());
  CHECK(of({100, 100, 100}).reproduced());
}

TEST_CASE("The best three decide, whatever the others did") {
  const Samples samples = of({30, 99.8, 100, 12, 99.6, 50});
  CHECK(samples.reproduced());
  CHECK(samples.estimate() == Estimate{100, 99.6, 100});
  CHECK(samples.windows() == 6);
  CHECK(samples.best() == std::vector<double>{100, 99.8, 99.6, 50, 30, 12});
}

TEST_CASE("What was seen once counts, and the third best shows how far windows disagree") {
  const Samples samples = of({16.1, 16.2, 16.15, 39.5, 16.2}, 0.03);
  CHECK_FALSE(samples.reproduced());
  CHECK(samples.estimate() == Estimate{39.5, 16.2, 39.5});
  CHECK(of({20, 10}).estimate() == Estimate{20, 10, 20});
}

TEST_CASE("A lone best far above three that agree can be taken out, others cannot") {
  Samples glitch = of({16.1, 16.2, 16.15, 39.5, 16.2}, 0.03);
  glitch.drop_lone_best();
  CHECK(glitch.dropped() == 1);
  CHECK(glitch.reproduced());
  CHECK(glitch.estimate().high == 16.2);
  glitch.drop_lone_best();
  CHECK(glitch.dropped() == 1);

  Samples rising = of({16.1, 16.2, 16.15, 17.0}, 0.03);  // perhaps the only undisturbed window
  rising.drop_lone_best();
  CHECK(rising.dropped() == 0);
  Samples scattered = of({10, 12, 14, 39.5}, 0.03);
  scattered.drop_lone_best();
  CHECK(scattered.dropped() == 0);
  Samples few = of({10, 10, 39.5}, 0.03);
  few.drop_lone_best();
  CHECK(few.dropped() == 0);
}

TEST_CASE("The tolerance is the caller's") {
  CHECK_FALSE(of({100, 99, 98}).reproduced());
  CHECK(of({100, 99, 98}, 0.03).reproduced());
}

TEST_CASE("Windows that agree per cycle are reproduced though the clock moved") {
  Samples turbo(0.005, true);
  turbo.add(107.7, 3.59e9);
  turbo.add(113.7, 3.79e9);
  turbo.add(110.7, 3.69e9);
  CHECK(turbo.reproduced());
  CHECK(turbo.clock_moved());
  CHECK(turbo.estimate() == Estimate{113.7, 107.7, 113.7});
  CHECK(turbo.clock() == 3.79e9);

  // a window that lost the core for a moment is slower per cycle, and does not hide the agreement
  turbo.add(112.0, 3.99e9);
  CHECK(turbo.reproduced());
  CHECK(turbo.estimate().value == 113.7);

  Samples unexplained(0.005, true);
  for (const double rate : {107.7, 113.7, 110.7}) unexplained.add(rate, 3.59e9);
  CHECK_FALSE(unexplained.reproduced());

  Samples memory(0.03, false);
  memory.add(100, 3.59e9);
  memory.add(110, 3.95e9);
  memory.add(105, 3.77e9);
  CHECK_FALSE(memory.reproduced());
}

TEST_CASE("A clock read too low makes a window too good per cycle, and the figure unstable") {
  Samples samples(0.005, true);
  samples.add(107.7, 3.59e9);
  samples.add(105.0, 3.59e9);
  samples.add(103.0, 3.59e9);
  samples.add(101.0, 1.20e9);
  CHECK_FALSE(samples.reproduced());
}

TEST_CASE("An unknown clock explains nothing") {
  Samples samples(0.005, true);
  for (const double rate : {107.7, 113.7, 110.7}) samples.add(rate, 0);
  CHECK_FALSE(samples.reproduced());
}

TEST_CASE("A restart forgets, and at most ten rates are kept") {
  Samples samples;
  for (int i = 0; i < 50; ++i) samples.add(100 + i, 1e9);
  CHECK(samples.best().size() == 10);
  CHECK(samples.best().front() == 149);
  CHECK(samples.windows() == 50);
  samples.restart();
  CHECK(samples.windows() == 0);
  CHECK(samples.best().empty());
}
