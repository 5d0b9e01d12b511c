// Number of configurations a space allows, as far as known, and the method of drawing them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/json.h"

namespace rooftune::space {

struct SpaceExtent {
  std::optional<std::uint64_t> count;  ///< exact; nullopt where it was not counted
  bool counted() const { return count.has_value(); }
  /// Equal where counted. Else an estimate and its interval of 95 %; nullopt where there is none.
  struct Estimate {
    double value = 0, low = 0, high = 0;
  };
  std::optional<Estimate> size;
  std::string because;         ///< why it was not counted; empty where it was
  std::string sampling;        ///< "uniform", or the bias of draws
  bool representative = true;  ///< draws are uniform, or nearly
};

SpaceExtent counted_extent(std::uint64_t count);
/// "116928", "about 1.2e+25 [1.1e+25, 1.3e+25]", "not known how many".
std::string to_text(const SpaceExtent& extent);
/// The number where counted, else null.
Json count_json(const SpaceExtent& extent);
/// {because, sampling, estimate: {value, low, high} or null} of a space without a count, else null.
Json not_counted_json(const SpaceExtent& extent);

}  // namespace rooftune::space
