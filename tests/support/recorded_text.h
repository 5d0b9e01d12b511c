// A recorded space from a text.
#pragma once
#include <string>

#include "replay/recording.h"

namespace rooftune::test {

inline Recording recording_from_text(const std::string& text, const std::string& where) {
  return RecordingFile(text, where).read();
}

}  // namespace rooftune::test
