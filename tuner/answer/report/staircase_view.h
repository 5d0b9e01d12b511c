// Content of a staircase's table and picture, independent of pixels and characters.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "study/result.h"

namespace rooftune::report {

/// A ceiling or wall at the time that it allows.
struct LimitMark {
  std::string words;  ///< as in the table: "DRAM without prefetch"
  std::string hover;  ///< with its ceiling and time; one line each
  double seconds = 0;
};

struct StairMark {
  std::string step;              ///< "your baseline", "format csr -> bcsr"
  std::string because;           ///< "memory traffic 204 -> 142 MB"
  std::optional<double> before;  ///< time of the last stair above it that ran [s]
  std::optional<double> seconds;
  std::optional<Estimate> gain;
  std::string absent_because;
  std::vector<LimitMark> broken;  ///< the slowest first, each word once
};

/// What is still possible.
struct StaircaseRest {
  std::string words, hover;       ///< "at most 1.16x more: memory"
  std::optional<double> seconds;  ///< then; absent: the winner is at the limit
};

struct StaircaseView {
  std::vector<StairMark> stairs;
  std::optional<StaircaseRest> rest;
  std::vector<LimitMark> ahead;  ///< between the winner and the rest, the slowest first
};
/// Empty without a staircase.
StaircaseView staircase_view(const StudyResult& result);

}  // namespace rooftune::report
