// Every lower bound on the time, each with its proof, and the nearest time seen.
#pragma once
#include <string>
#include <vector>

#include "study/result.h"

namespace rooftune::report {

struct BoundRow {
  std::string subject;   ///< "any code", "this space", "a micro-kernel (seen)"
  std::string quantity;  ///< "DRAM traffic", "fp64 work"
  Estimate seconds;
  std::string because;  ///< the amount and the rate nothing exceeds
};
/// The loosest first.
std::vector<BoundRow> bound_rows(const StudyResult& report);

}  // namespace rooftune::report
