// A ceiling of a machine in a test, to read or to change.
#pragma once
#include <catch2/catch.hpp>
#include <string>

#include "roofline/machine.h"

namespace rooftune::test {

inline Ceiling& named(Machine& machine, const std::string& name) {
  Ceiling* const found = ceiling_named(machine.ceilings, name);
  INFO("ceiling " << name);
  REQUIRE(found);
  return *found;
}

}  // namespace rooftune::test
