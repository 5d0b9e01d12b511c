// Requests to a worker and the steps of its replies, by the words of their messages.
#pragma once
#include "core/words.h"

namespace rooftune::run {

enum class Action {
  problem,
  setup,
  reference,
  trial,
  plan,    ///< write launches down
  enter,   ///< a race
  sample,  ///< an entry of a race
  check,   ///< an entry after a race
  count,
  launch,  ///< calls for a tool around the worker
  leave
};
inline Words words(Action) {
  static constexpr const char* all[] = {"problem", "setup", "reference", "trial",  "plan", "enter",
                                        "sample",  "check", "count",     "launch", "leave"};
  return all;
}

/// Steps reached, in the order of a trial.
enum class Phase {
  requested,  ///< no reply yet
  ready,      ///< after the setup
  allocated,
  loaded,
  prepared,
  called,
  validated,
  calibrated,
  samples,
  device,
  checking,
  checked,
  counted,
  launched,
  planned,
  done,
  fault,
  ended  ///< the process of a trial
};
inline Words words(Phase) {
  static constexpr const char* all[] = {
      "requested", "ready",      "allocated", "loaded", "prepared", "called",
      "validated", "calibrated", "samples",   "device", "checking", "checked",
      "counted",   "launched",   "planned",   "done",   "fault",    "ended"};
  return all;
}

}  // namespace rooftune::run
