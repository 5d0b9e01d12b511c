// A text in parts.
#pragma once
#include <sstream>
#include <string>

#include "core/list.h"
#include "core/modules.h"

namespace rooftune::core {

/// What stands between the marks, such as a text's lines. The rest behind the last mark is a part
/// unless it is empty.
inline Texts split(const std::string& text, char mark = '\n') {
  Texts parts;
  std::istringstream rest(text);
  for (std::string part; std::getline(rest, part, mark);) parts.push_back(part);
  return parts;
}

}  // namespace rooftune::core
