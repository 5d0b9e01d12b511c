// Which knobs are the sides of a block, from the formulas of the launch.
#include <catch2/catch.hpp>

#include "kernel/kernel.h"

using namespace rooftune;

namespace {

std::vector<Knob> knobs(const std::vector<std::string>& names) {
  std::vector<Knob> all;
  for (const std::string& name : names) {
    Knob knob;
    knob.name = name;
    knob.values = {Value(8), Value(16)};
    all.push_back(knob);
  }
  return all;
}

std::optional<std::vector<std::string>> of(const std::vector<std::string>& sides) {
  Kernel kernel;
  const char* const names[] = {"block_x", "block_y", "block_z"};
  for (std::size_t i = 0; i < sides.size(); ++i) {
    Argument argument;
    argument.name = names[i];
    argument.value = Expression::parse(sides[i]);
    kernel.arguments.push_back(argument);
  }
  return block_knobs_of_launch(kernel, knobs({"mdimc", "ndimc"}));
}

}  // namespace

TEST_CASE("knobs that are factors of the launch are the sides of a block") {
  using Names = std::vector<std::string>;
  CHECK(of({"mdimc", "ndimc", "1"}) == Names{"mdimc", "ndimc"});
  CHECK(of({"mdimc * ndimc", "1", "1"}) == Names{"mdimc", "ndimc"});
  CHECK(of({"mdimc", "mdimc", "1"}) == Names{"mdimc", "mdimc"});
  CHECK(of({"1", "1", "1"}) == Names());
}

TEST_CASE("other formulas of a launch tell nothing of its blocks") {
  CHECK(of({"mdimc // 2", "ndimc", "1"})->empty());
  CHECK(of({"mdimc", "4", "1"})->empty());
  CHECK(of({"mdimc ** ndimc", "1", "1"})->empty());
  CHECK(of({"(mdimc) * ndimc", "1", "1"})->empty());
  CHECK(of({"problem_size_x", "ndimc", "1"})->empty());
  CHECK_FALSE(of({"mdimc", "ndimc"}));
}
