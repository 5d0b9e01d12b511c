// A study's stages after its search: the machine read again, and counts.
#pragma once
#include <functional>
#include <string>

#include "core/callback.h"
#include "roofline/machine.h"
#include "study/prepare.h"
#include "study/search_loop.h"

namespace rooftune::study {

/// What the stages work with; everything that it refers to must outlive it.
struct StageContext {
  PreparedStudy& study;
  Platform& platform;
  Recorder& recorder;
  const SearchEnd& end;
  Schedule& schedule;
  CeilingList anchors_before;   ///< read before the search; empty: none chosen
  CeilingList anchors_between;  ///< see AnchorReadings
  const TextCallback& say;

  /// Says a text with the input's name where there are several.
  void say_of(size_t input, const std::string& text) const;
};

/// Runs all stages, in their order.
void run_stages(StageContext& context);

}  // namespace rooftune::study
