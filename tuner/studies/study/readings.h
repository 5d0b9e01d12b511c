// How fast the machine was at several moments.
#pragma once
#include <string>

#include "core/list.h"
#include "roofline/drift.h"
#include "store/study_record.h"

namespace rooftune::study {

/// What ceilings gave, each as often as its micro-kernel ran.
class Readings {
 public:
  /// A rate of 0 is that of a run that failed.
  void add(const std::string& ceiling, double rate);
  /// By name: each ceiling's median rate, with the slowest tenth and the fastest as its interval.
  CeilingList summary() const;

 private:
  ByName<Numbers> rates_;
};

/// How fast the machine was whenever the study measured a ceiling again.
AnchorReadings readings_of(const StudyRecord& study);

}  // namespace rooftune::study
