// This thread bound to one CPU, as `taskset -c CPU` binds a program; programs that it starts are
// bound as it is.
#pragma once
#include <catch2/catch.hpp>
#include <vector>

#include "os/topology.h"

namespace rooftune::testing {

class Taskset {
 public:
  explicit Taskset(int cpu) { REQUIRE(os::bind_thread({cpu})); }
  ~Taskset() { os::bind_thread(before_); }
  Taskset(const Taskset&) = delete;
  Taskset& operator=(const Taskset&) = delete;

 private:
  std::vector<int> before_ = os::usable_cpus();
};

}  // namespace rooftune::testing
