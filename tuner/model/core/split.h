// A text in parts.
#pragma once
#include <sstream>
#include <string>

#include "core/list.h"
#include "core/modules.h"

namespace rooftune::core {

/// What stands between the marks: the lines of a text. Behind the last mark only what is not empty
/// is a part.
inline Texts split(const std::string& text, char mark = '\n') {
  Texts parts;
  std::istringstream rest(text);
  for (std::string part; std::getline(rest, part, mark);) parts.push_back(part);
  return parts;
}

}  // namespace rooftune::core
