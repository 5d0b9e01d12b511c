// The stages of a study after its search: the visible list. Each stage reads the record and appends
// events; results of an earlier run on record are not measured again.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "study/prepare.h"
#include "study/search_loop.h"

namespace rooftune::study {

/// Context of the stages. Everything referred to must outlive it.
struct StageContext {
  PreparedStudy& study;
  Platform& platform;
  Recorder& recorder;
  const SearchEnd& end;
  const Schedule& schedule;
  std::vector<Ceiling> anchors_before;   ///< read before the search; empty: none chosen
  std::vector<Ceiling> anchors_between;  ///< see AnchorReadings
  std::function<void(const std::string&)> say = [](const std::string&) {};

  /// With the input's name where there are several.
  void say_of(std::size_t input, const std::string& text) const;
  void throw_if_interrupted() const;
};

struct Stage {
  const char* name;
  const char* summary;
  void (*run)(StageContext& context);
};
const std::vector<Stage>& stages();

}  // namespace rooftune::study
