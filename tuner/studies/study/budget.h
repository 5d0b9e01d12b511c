// Limits of a search, and their notation.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/option.h"
#include "core/quantity.h"

namespace rooftune::study {

/// Any limits may be set; the first one reached ends the search. Counts include earlier runs of the
/// study, but neither pruned trials nor those promoted after a search.
struct Budget {
  std::optional<std::uint64_t> evaluations = {};
  std::optional<Seconds> time = {};    ///< wall time of the whole command
  std::optional<Seconds> device = {};  ///< time on the device: validating and timing
  bool operator==(const Budget&) const = default;
};

/// Limits between commas: digits are evaluations, device=5min is time on the device, anything else
/// wall time. Throws Error.
Budget parse_budget(const std::string& text);
inline void from_text(const std::string& text, Budget& budget) { budget = parse_budget(text); }
inline void decode(const Json& json, const Place& place, Budget& budget) {
  decode_text(json, place, budget);
}

/// Whether a run is long enough for anchors: any but fewer than 16 evaluations or 20 s.
bool worth_checks(const Budget& budget);
/// Spread of a race in time [s]: a tenth of the wall time, 2 to 10 s.
double race_span(const Budget& budget);

}  // namespace rooftune::study
