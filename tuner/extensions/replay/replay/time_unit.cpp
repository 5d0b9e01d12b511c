#include "replay/time_unit.h"

#include <cctype>

namespace rooftune::replay {

std::optional<double> time_unit(std::string word) {
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (word.starts_with("mil") || word == "ms" || word == "msec") return 1e-3;
  if (word.starts_with("mic") || word == "us" || word == "usec" || word == "\xc2\xb5s" ||
      word == "\xce\xbcs")
    return 1e-6;
  if (word.starts_with("nano") || word == "ns") return 1e-9;
  if (word.starts_with("sec") || word == "s") return 1.0;
  return std::nullopt;
}

}  // namespace rooftune::replay
