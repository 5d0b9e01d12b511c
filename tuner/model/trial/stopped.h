// Why a search ended.
#pragma once
#include <string>

#include "core/words.h"

namespace rooftune::trial {

enum class StopReason { closed, certified, budget, certain, exhausted, interrupted };
inline Words words(StopReason) {
  static constexpr const char* all[] = {"closed",  "certified", "budget",
                                        "certain", "exhausted", "interrupted"};
  return all;
}
/// Whether a longer search could find something better. Without a default: the compiler asks for
/// the answer to a new reason.
inline bool time_helps(StopReason reason) {
  switch (reason) {
    case StopReason::closed:
    case StopReason::certified:
    case StopReason::certain:
    case StopReason::exhausted:
      return false;
    case StopReason::budget:
    case StopReason::interrupted:
      return true;
  }
  return false;
}
/// How a run ended.
struct Stopped {
  StopReason reason = StopReason::exhausted;
  std::string sentence;  ///< the reason in words and figures
  std::string refuted;   ///< the trial that refuted pruning; else empty
  static void fields(auto& self, auto& visit) {
    visit("reason", self.reason)("sentence", self.sentence);
    visit.defaulted("refuted", self.refuted).open();
  }
};

}  // namespace rooftune::trial
