// Logarithmic axes: from values to positions, with ticks as drawn by hand.
#pragma once
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::report {

struct Tick {
  double value = 0;
  std::string label;  ///< empty: a minor tick
};

/// [low, high] in value maps to [from, to] in position; both may run either way.
class LogScale {
 public:
  /// 0 < low < high, finite.
  LogScale(double low, double high, double from, double to)
      : low_(low), high_(high), from_(from), to_(to) {}
  double operator()(double value) const;
  double low() const { return low_; }
  double high() const { return high_; }
  /// Decades when there are at least three, else 1-2-5, else as fine as needed for three labels;
  /// the rest of 1..9 as minor ticks. Labels show value / unit.
  std::vector<Tick> ticks(double unit) const;

 private:
  double low_, high_, from_, to_;
};

/// Shortest text of a tick: 0.01, 1, 250, 1000.
std::string tick_text(double value);

}  // namespace rooftune::report
