// Every lower bound on the time, each with what proves it, and what was seen to come near.
#pragma once
#include <string>
#include <vector>

#include "study/result.h"

namespace rooftune::report {

struct BoundRow {
  std::string who;   ///< "any code", "this space", "a micro-kernel (seen)"
  std::string what;  ///< "DRAM traffic", "fp64 work"
  Estimate seconds;
  std::string because;  ///< the amount and the rate that nothing exceeds
};
/// The loosest first.
std::vector<BoundRow> bound_rows(const StudyResult& report);

}  // namespace rooftune::report
