// What every run's output must show: a line that fits a pattern, or figures within limits.
#pragma once
#include <optional>
#include <string>

#include "run/metric.h"

namespace rooftune::run {

class OutputCheck {
 public:
  /// `program`: its check and figures. Throws Error at --check or --metric: an unreadable pattern
  /// or condition, a name without a figure.
  explicit OutputCheck(const Program& program);
  /// Why a run is wrong; empty: it is right, as far as its output and its figures tell.
  std::string fault(const std::string& output, const Figures& figures) const;

 private:
  std::string text_;
  std::optional<Pattern> pattern_;
  Expression condition_;
};

}  // namespace rooftune::run
