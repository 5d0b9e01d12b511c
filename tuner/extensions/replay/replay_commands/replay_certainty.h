// Output of `tune replay --until-within` on searches ended by certainty.
#pragma once
#include "core/json.h"
#include "replay/calibration.h"

namespace rooftune::replay_commands {

/// {within, confidence, searches, ended, wrong, wrong_share_interval, evaluations: {median, q25,
/// q75} or null}; the interval is null where none ended so.
Json to_json(const Calibration& calibration, const Certainty& certainty);
/// "sure after 83 [71, 102]: 45 of 50 searches, 3 of them wrong (1.4 to 18 %)"; without the
/// evaluations where they are 0.
std::string to_text(const Calibration& calibration);

}  // namespace rooftune::replay_commands
