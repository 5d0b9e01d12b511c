#include "report/palette.h"

#include <string_view>

#include "report/palette_resources.h"

namespace rooftune::report {

std::string family_class(const std::string& family) {
  const std::string wanted = "fam-" + family;
  const bool known = std::string_view(palette_style).find('.' + wanted + '{') != std::string::npos;
  return known ? wanted : "fam-other";
}

}  // namespace rooftune::report
