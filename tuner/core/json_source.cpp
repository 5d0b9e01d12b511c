// Places in a text.
// The caller owes the text that the position belongs to.
#include "core/json_source.h"

#include <fmt/format.h>

#include <algorithm>

namespace rooftune {

std::string JsonSource::place(const std::string& where, std::size_t position) const {
  const std::size_t before = std::min(position > 0 ? position - 1 : 0, text_.size());
  const auto here = text_.begin() + static_cast<std::ptrdiff_t>(before);
  const auto line = std::count(text_.begin(), here, '\n') + 1;
  const std::size_t newline = before == 0 ? std::string::npos : text_.rfind('\n', before - 1);
  const std::size_t start = newline == std::string::npos ? 0 : newline + 1;
  return fmt::format("{}:{}:{}", where, line, before - start + 1);
}

}  // namespace rooftune
