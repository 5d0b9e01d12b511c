// Lines, cut from blocks at newlines.
#include "core/line_source.h"

#include <fmt/format.h>

#include "core/error.h"

namespace rooftune::core {
namespace {

constexpr std::size_t longest_line = std::size_t{1} << 26;

}  // namespace

bool LineSource::next(std::string& line) {
  line.clear();
  torn_ = false;
  for (;;) {
    if (block_.empty()) block_ = bytes_.next();
    if (block_.empty()) {
      torn_ = !line.empty();
      return torn_;
    }
    const std::size_t end = block_.find('\n');
    line.append(block_.substr(0, end));
    if (line.size() > longest_line)
      throw Error(fmt::format("a line of more than {} bytes", longest_line));
    block_.remove_prefix(end == std::string_view::npos ? block_.size() : end + 1);
    if (end != std::string_view::npos) return true;
  }
}

}  // namespace rooftune::core
