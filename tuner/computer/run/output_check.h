// What every run's output must show: a line that fits a pattern, or figures within limits.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "core/expression.h"
#include "run/metric.h"

namespace rooftune::run {

class OutputCheck {
 public:
  /// `program`: its check and figures. Throws Error at --check or --figure: an unreadable pattern
  /// or condition, a name without a figure, a figure without use.
  explicit OutputCheck(const Program& program);
  /// Why a run is wrong; empty: it is right, as far as its output tells. `wall` [s].
  std::string fault(const std::string& output, double wall) const;

 private:
  void read_condition(const std::string& text);
  std::string text_;
  std::optional<Pattern> pattern_;
  Expression condition_;
  std::map<std::string, FigureSource> figures_;
};

}  // namespace rooftune::run
