// The path of every event: first to the store, then into the record of the study.
#pragma once
#include <functional>
#include <utility>

#include "store/study_record.h"

namespace rooftune::study {

class Recorder {
 public:
  /// `keep` may throw; an event it could not keep has not happened. The record must outlive it.
  explicit Recorder(StudyRecord& record, std::function<void(const Event&)> keep = {})
      : record_(record), keep_(std::move(keep)) {}
  const StudyRecord& record() const { return record_; }
  void append(Event event) {
    if (keep_) keep_(event);
    record_.apply(std::move(event));
  }

 private:
  StudyRecord& record_;
  std::function<void(const Event&)> keep_;
};

}  // namespace rooftune::study
