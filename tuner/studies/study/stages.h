// The stages of a study after its search, and the counts among them.
#pragma once
#include <functional>
#include <string>

#include "core/callback.h"
#include "roofline/machine.h"
#include "study/prepare.h"
#include "study/search_loop.h"

namespace rooftune::study {

/// Context of the stages. Everything referred to must outlive it.
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

/// All of them, in their order.
void run_stages(StageContext& context);

}  // namespace rooftune::study
