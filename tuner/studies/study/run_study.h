// One study from spec to record: READ THIS FIRST. Prepare, search, then every stage in stages.h;
// every step is an event, appended to the record and kept by the store. analyse() turns the record
// into a result. `tune`, `tune sweep` and a program linked to the library run a study through here.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "core/callback.h"
#include "study/prepare.h"
#include "study/result.h"
#include "study/search_loop.h"

namespace rooftune::study {

/// Callbacks to the person or program in front of the study.
struct StudyObserver {
  /// Called once, before the search, with the prepared study and its record so far.
  std::function<void(const PreparedStudy&, const StudyRecord&)> begin = [](const PreparedStudy&,
                                                                           const StudyRecord&) {};
  std::function<void(const Progress&)> progress = [](const Progress&) {};
  TextCallback say = [](const std::string&) {};
};

struct FinishedStudy {
  StudyRecord record;
  StudyResult result;
  bool interrupted = false;
  std::unique_ptr<PreparedStudy> study;  ///< inputs still loaded, for later races
};

/// Runs the study that `spec` names, or goes on where its records under spec.results end. Throws
/// Error if the user's input or environment is at fault; when interrupted, it keeps all
/// measurements.
FinishedStudy run_study(const StudySpec& spec, Platform& platform, const StudyObserver& observer);

}  // namespace rooftune::study
