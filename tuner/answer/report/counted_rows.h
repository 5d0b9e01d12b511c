// Counted figures beside the least of any variant: one row per figure, for table and page.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "study/result.h"

namespace rooftune::report {

struct CountedRow {
  std::string quantity;         ///< "fp64 flops", "L2 bytes read"
  std::string unit;             ///< "flop", "B", or empty: a plain number
  std::optional<double> least;  ///< as the kernel declares it
  std::optional<Estimate> best, baseline;
};

/// One counted configuration among the others: how work and traffic change with the knobs.
struct SampleRow {
  std::string subject;  ///< "best", "baseline", "trial 12"
  const Contender* contender = nullptr;
  std::optional<Estimate> flops;  ///< of all precisions
  std::optional<Estimate> bytes;  ///< read and written at the charted level
  std::string difference;         ///< from the baseline; without one, from the best
};

/// Best, baseline and other counted ones, fastest first; empty without others. Points into
/// `report`.
std::vector<SampleRow> sample_rows(const StudyResult& report);
/// Empty when neither the best nor the baseline was counted.
std::vector<CountedRow> counted_rows(const StudyResult& report);
/// "3.36e+07", "268 MB", "268 MB [260, 271]".
std::string counted_text(const std::optional<Estimate>& figure, const std::string& unit);
/// "fp64: 16777216 fma"; the operations of one count by kind.
std::string operations_text(const Counts& counts);
/// "DRAM: compulsory 268 MB, write allocate 134 MB": the counted bytes of the charted level by
/// their remedy; empty when it was not counted.
std::string walls_text(const StudyResult& report, const Counts& counts);
/// Provider and method of the counts, one sentence for each kind of figure.
std::vector<std::string> provenance_of(const Counts& counts);

}  // namespace rooftune::report
