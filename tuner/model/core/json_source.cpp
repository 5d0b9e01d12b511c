// Places in a text read block by block. Positions are near the last byte read: the text before is
// gone.
#include "core/json_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace rooftune::core {

JsonSource::JsonSource(ByteSource& bytes, std::string where)
    : bytes_(bytes), where_(std::move(where)) {
  refill();
}

void JsonSource::begin_line() {
  starts_ = {consumed() + 1, starts_[0], starts_[1]};
  ++line_;
}

void JsonSource::refill() {
  before_ = consumed();
  if (before_ - mark_ > longest)
    throw Error(fmt::format("a text, number or blank of more than {} bytes", longest),
                place(before_), "no reader of such files needs one; is it the right file?");
  const std::string_view block = bytes_.next();
  block_ = at_ = block.data();
  limit_ = block_ + block.size();
}

std::string JsonSource::place(std::size_t position) const {
  const std::size_t at = std::min(position > 0 ? position - 1 : 0, consumed());
  std::size_t line = line_, start = starts_[0];
  for (std::size_t i = 1; i < starts_.size() && at < start && line > 1; ++i, --line)
    start = starts_[i];
  return fmt::format("{}:{}:{}", where_, line, at - start + 1);
}

}  // namespace rooftune::core
