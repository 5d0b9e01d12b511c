// Counted figures of best, baseline and others, as sections and sentences.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/section.h"
#include "study/result.h"

namespace rooftune::report {

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
/// As sections of the evidence. The first: counts of best and baseline beside the least of any
/// variant, with their provenance; nullopt where neither was counted.
std::optional<Section> counted_section(const StudyResult& report);
std::optional<Section> sample_section(const StudyResult& report);
/// "3.36e+07", "268 MB", "268 MB [260, 271]".
std::string counted_text(const std::optional<Estimate>& figure, std::string_view unit);
/// "fp64: 16777216 fma"; the operations of one count by kind.
std::string operations_text(const Counts& counts);
/// "DRAM: compulsory 268 MB, write allocate 134 MB": the counted bytes of the charted level by
/// their remedy; empty when it was not counted.
std::string walls_text(const StudyResult& report, const Counts& counts);
/// Provider and method of the counts, one sentence for each kind of figure.
std::vector<std::string> provenance_of(const Counts& counts);

}  // namespace rooftune::report
