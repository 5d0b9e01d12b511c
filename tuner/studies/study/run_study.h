// One study from spec to record: READ THIS FIRST. Prepare, search, then every stage of stages.h;
// what happens is an event, appended to the record and kept by the store. analyse() turns the
// record into a result. `tune`, `tune sweep` and a program that links the library run a study
// through here.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "study/prepare.h"
#include "study/result.h"
#include "study/search_loop.h"

namespace rooftune::study {

/// What the person or program in front of the study is shown; every member may be empty.
struct StudyObserver {
  /// Once, before the search: what was prepared, and what is on record already.
  std::function<void(const PreparedStudy&, const StudyRecord&)> begin;
  std::function<void(const Progress&)> progress;
  std::function<void(const std::string&)> say;
};

struct FinishedStudy {
  StudyRecord record;
  StudyResult result;
  std::filesystem::path record_file;
  bool interrupted = false;
  std::unique_ptr<PreparedStudy> study;  ///< inputs still loaded, for races that follow
};

/// Runs a study of `spec`, or goes on with it where its records under spec.results end. Throws
/// Error when the user's input or environment is at fault; interrupted it keeps what was measured.
FinishedStudy run_study(const StudySpec& spec, Platform& platform, const StudyObserver& observer);

}  // namespace rooftune::study
