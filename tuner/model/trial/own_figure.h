// The figure of a program that is no time: trials hold it as one, its users read it in its unit.
#pragma once
#include <string>

#include "core/estimate.h"

namespace rooftune::trial {

struct OwnFigure {
  std::string unit;   ///< as typed; empty: a number alone
  bool more = false;  ///< is better
  double scale = 1;   ///< where more is better the figure is scale / seconds, else scale * seconds
  double of(double seconds) const { return more ? scale / seconds : scale * seconds; }
  Estimate of(const Estimate& seconds) const {
    const double low = of(seconds.low), high = of(seconds.high);
    return {of(seconds.value), more ? high : low, more ? low : high};
  }
  static void fields(auto& self, auto& visit) {
    visit("unit", self.unit)("more", self.more)("scale", self.scale);
  }
};

}  // namespace rooftune::trial
