// How busy each part of the machine is while code runs: counted amounts over measured rates over
// the time.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/list.h"
#include "roofline/cause.h"

namespace rooftune::roofline {

struct BusyPart {
  /// "memory" (the outermost level), "L3", "L2", "L1", "arithmetic", "divider" (quotients and
  /// roots), "integers", "instructions" (their issue), "launch".
  std::string part;
  Estimate share;       ///< share of the time; above 1 where the rate at those moments was missed
  double amount = 0;    ///< counted, per call
  std::string unit;     ///< "B", "flop", "operation", "instruction", "launch"
  double rate = 0;      ///< this mix's, in the same rounds where a ceiling ran beside [unit/s]
  std::string ceiling;  ///< whose rate it is; where several took part, the one that took longest
  Source source;        ///< the amount's
  double given = 1;     ///< its rate in those rounds over the fastest
};

struct Limit {
  std::vector<BusyPart> parts;  ///< busiest first; only counted ones with a measured rate
  std::optional<Cause> cause;   ///< never where a part is at its limit
  Texts unrated;                ///< counted work without a measured rate: "fp80 operations"
  /// The busiest part is the limit: busy three quarters of the time.
  bool at_limit() const { return !parts.empty() && parts.front().share.value >= 0.75; }
};

/// `seconds`: a call's. `rates_beside`: by ceiling name, its rate in the same rounds over the
/// machine's; it holds for ceilings with the same level or precision too. Rates hold for the
/// counted mix of reads and writes, the counted threads, and the counted shares of scalar and
/// vector operations. Stores that are not streamed are taken to read their lines first.
Limit limit(const Counts& counts, const Roofline& roofline, const Estimate& seconds,
            const NamedNumbers& rates_beside = {});

/// The memory ceilings at which limit() likely rates code with the least traffic, whether its
/// stores go past the caches or read their lines first: they run beside its race.
Texts memory_ceilings(const Roofline& roofline);

}  // namespace rooftune::roofline
