// Two times of one interleaved round, whose ratio says more than either: what set-backs and
// experiments are made of. The caller keeps the meaning of first and second.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/json.h"
#include "space/configuration.h"

namespace rooftune::trial {

/// Two times of one round [s per call].
using PairedTime = std::pair<double, double>;

/// Rounds: enough for the exact interval of a dozen ratios, and what a slow kernel gets.
inline constexpr int many_rounds = 20, few_rounds = 12;

/// First over second, round by round.
std::vector<double> ratios(const std::vector<PairedTime>& rounds);
Json rounds_json(const std::vector<PairedTime>& rounds);
/// Throws Error at `where` for what is no list of two times above 0.
std::vector<PairedTime> paired_times_from_json(const Json& json, const std::string& where);

/// The other knobs in which two configurations differ: those that became inactive with `moved`.
std::vector<std::string> moved_along(const Configuration& before, const Configuration& after,
                                     const std::string& moved);

}  // namespace rooftune::trial
