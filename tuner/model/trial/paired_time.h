// Two times of one interleaved round of set-backs, with a ratio more precise than either. The
// caller keeps the meaning of first and second.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "space/configuration.h"

namespace rooftune::trial {

/// Two times of one round [s per call].
using PairedTime = std::pair<double, double>;

/// Rounds: enough for the exact interval of a dozen ratios, and the number for a slow kernel.
inline constexpr int many_rounds = 20, few_rounds = 12;

/// First over second, round by round.
std::vector<double> ratios(const std::vector<PairedTime>& rounds);
/// A rule of records: all times are above 0.
bool are_times(const std::vector<PairedTime>& rounds);
inline constexpr const char* all_disturbed =
    "the machine was busy: neighbours disturbed every round";
inline constexpr const char* times_rule = "a round must be two times above 0";

/// The other differing knobs of two configurations: inactive by the change of `moved`.
std::vector<std::string> moved_along(const Configuration& before, const Configuration& after,
                                     const std::string& moved);

}  // namespace rooftune::trial
