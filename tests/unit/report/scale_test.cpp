#include <catch2/catch.hpp>

#include "report/svg.h"

using namespace rooftune;

namespace {

std::vector<std::string> labels(const std::vector<Tick>& ticks) {
  std::vector<std::string> all;
  for (const Tick& tick : ticks)
    if (!tick.label.empty()) all.push_back(tick.label);
  return all;
}

}  // namespace

TEST_CASE("a logarithmic scale maps its ends and back") {
  const LogScale scale(0.01, 100, 50, 450);
  CHECK(scale(0.01) == Approx(50));
  CHECK(scale(100) == Approx(450));
  CHECK(scale(1) == Approx(250));
}

TEST_CASE("ticks follow the span") {
  CHECK(labels(LogScale(0.02, 300, 0, 1).ticks(1)) ==
        std::vector<std::string>{"0.1", "1", "10", "100"});
  CHECK(labels(LogScale(1e9, 60e9, 0, 1).ticks(1e9)) ==
        std::vector<std::string>{"1", "2", "5", "10", "20", "50"});
  for (const double high : {1.03, 1.2, 1.9, 3.0, 7.0, 30.0, 1e4, 1e9}) {
    const auto shown = labels(LogScale(1.01, 1.01 * high, 0, 1).ticks(1));
    INFO(high);
    CHECK(shown.size() >= 2);
    CHECK(shown.size() <= 14);
  }
}

TEST_CASE("ticks lie inside the axis") {
  const LogScale scale(3.3e-4, 0.07, 0, 1);
  for (const Tick& tick : scale.ticks(1e-3)) {
    CHECK(tick.value >= scale.low() * 0.999);
    CHECK(tick.value <= scale.high() * 1.001);
  }
}

TEST_CASE("tick texts are short") {
  CHECK(tick_text(0.01) == "0.01");
  CHECK(tick_text(2.5) == "2.5");
  CHECK(tick_text(20000) == "20000");
  CHECK(tick_text(0.00025) == "0.00025");
}
