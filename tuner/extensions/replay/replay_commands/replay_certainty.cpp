#include "replay_commands/replay_certainty.h"

#include <fmt/format.h>

namespace rooftune::replay_commands {

Json to_json(const Calibration& calibration, const Certainty& certainty) {
  Json json{{"within", certainty.share},
            {"confidence", certainty.confidence},
            {"searches", calibration.searches},
            {"ended", calibration.declared},
            {"wrong", calibration.wrong},
            {"wrong_share_interval", nullptr},
            {"evaluations", nullptr}};
  if (calibration.declared > 0) json["wrong_share_interval"] = {calibration.low, calibration.high};
  if (calibration.median > 0)
    json["evaluations"] = {
        {"median", calibration.median}, {"q25", calibration.q25}, {"q75", calibration.q75}};
  return json;
}

std::string to_text(const Calibration& calibration) {
  const auto& [searches, declared, wrong, low, high, median, q25, q75] = calibration;
  if (declared == 0) return fmt::format("sure: none of {} searches", searches);
  const std::string after =
      median > 0 ? fmt::format(" after {:g} [{:g}, {:g}]", median, q25, q75) : "";
  return fmt::format("sure{}: {} of {} searches, {} of them wrong ({:.2g} to {:.2g} %)", after,
                     declared, searches, wrong, 100 * low, 100 * high);
}

}  // namespace rooftune::replay_commands
