// Numbers beside figures, and below them why each figure may be off.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/terminal.h"
#include "report/text_table.h"

namespace rooftune::report {

class DoubtNotes {
 public:
  /// " [1] [2]": a number for each of these; the same text has the same number.
  std::string marks(const std::vector<std::string>& doubts) {
    std::string text;
    for (const std::string& doubt : doubts) {
      const auto known = std::find(texts_.begin(), texts_.end(), doubt);
      text += fmt::format(" [{}]", known - texts_.begin() + 1);
      if (known == texts_.end()) texts_.push_back(doubt);
    }
    return text;
  }
  /// A paragraph for each number.
  std::string notes(const TerminalStyle& style) const {
    std::string text;
    for (std::size_t i = 0; i < texts_.size(); ++i)
      text += paragraph(fmt::format("  [{}] ", i + 1), texts_[i], style.width);
    return text;
  }

 private:
  std::vector<std::string> texts_;
};

}  // namespace rooftune::report
