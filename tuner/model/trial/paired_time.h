// Two times of one interleaved round, with a ratio more precise than either: data of set-backs and
// experiments. The caller keeps the meaning of first and second.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/json.h"
#include "space/configuration.h"

namespace rooftune::trial {

/// Two times of one round [s per call].
using PairedTime = std::pair<double, double>;

/// Rounds: enough for the exact interval of a dozen ratios, and the number for a slow kernel.
inline constexpr int many_rounds = 20, few_rounds = 12;

/// First over second, round by round.
std::vector<double> ratios(const std::vector<PairedTime>& rounds);
Json rounds_json(const std::vector<PairedTime>& rounds);
/// Throws Error at `where` for anything but a list of two times above 0.
std::vector<PairedTime> paired_times_from_json(const Json& json, const std::string& where);

/// The other differing knobs of two configurations: inactive by the change of `moved`.
std::vector<std::string> moved_along(const Configuration& before, const Configuration& after,
                                     const std::string& moved);

}  // namespace rooftune::trial
