#include "core/option.h"

#include <fmt/format.h>

#include <cmath>

namespace rooftune::core {

std::string range_text(const Option& option) {
  return std::isfinite(option.most) ? fmt::format("must be {} to {}", option.least, option.most)
                                    : fmt::format("must be at least {}", option.least);
}

std::optional<std::string> text_or_number(const Place& place) {
  if (place->is_string()) return place->get<std::string>();
  if (place->is_number()) return place->dump();
  place.unexpected("a text or a number");
  return std::nullopt;
}

void from_text(const std::string& text, Fraction& fraction) {
  size_t used = 0;
  double value = -1;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
  }
  const std::string unit = value < 0 ? text : text.substr(used);
  if (unit == "%") value /= 100;
  if (!(unit.empty() || unit == "%") || !(value > 0 && value < 1))
    throw Error(fmt::format("\"{}\" is no share between 0 and 1", excerpt(text)), {},
                "for example 5%");
  fraction.value = value;
}

bool OptionReader::refuse(const char* name, const Option& option) {
  if (!option.refused_in_files) return false;
  Json ignored;
  reader_.defaulted(name, ignored);
  if (!ignored.is_null()) object_.member(name).fault(option.refused_in_files);
  return true;
}

}  // namespace rooftune::core
