// The raw rates of one ceiling, and the rule for its figure: the best one seen. Disturbance only
// slows a window: disturbed ones may stay, and a rate reached once is possible, reproduced or not.
#pragma once
#include <vector>

#include "core/estimate.h"

namespace rooftune::probe {

/// The windows of one ceiling.
class Samples {
 public:
  /// `tolerance`: spread allowed within the three best, 0.005 for computing, 0.03 for memory.
  /// `cycles`: the rate is proportional to the core clock, so windows may also agree in work per
  /// cycle.
  explicit Samples(double tolerance = 0.005, bool cycles = false)
      : tolerance_(tolerance), cycles_(cycles) {}

  /// `clock`: of the core beside the window [Hz]; 0 unknown.
  void add(double rate, double clock);
  /// Windows added since the beginning or the last restart.
  int windows() const { return static_cast<int>(samples_.size()); }
  /// True when the three best windows agree within the tolerance; or, where the clock moved
  /// (turbo), when the three best per cycle agree within it or 1 %.
  bool reproduced() const { return agree() || agree_per_cycle(); }
  /// True when only the agreement per cycle makes it reproduced.
  bool clock_moved() const { return !agree() && agree_per_cycle(); }
  /// Value and high are the best rate, low the third best. {0, 0, 0} without windows.
  Estimate estimate() const;
  /// Core clock beside the best window [Hz]; 0 unknown.
  double clock() const { return samples_.empty() ? 0 : samples_.front().clock; }
  /// The best rates, best first, at most ten.
  std::vector<double> best() const;
  /// Takes the best window out when it is alone: over 10 % above the next three, themselves in
  /// agreement. Such a one is a glitch of timer or clock.
  void drop_lone_best();
  /// Windows taken out so.
  int dropped() const { return dropped_; }
  /// Forgets all windows.
  void restart() { samples_.clear(); }

 private:
  struct Sample {
    double rate, clock;
    double per_cycle() const { return clock > 0 ? rate / clock : 0; }
  };
  bool agree() const;
  bool agree_per_cycle() const;

  double tolerance_;
  bool cycles_;
  int dropped_ = 0;
  std::vector<Sample> samples_;  ///< best first
};

}  // namespace rooftune::probe
