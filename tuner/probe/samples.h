// The raw rates of one ceiling, and the rule that turns them into a figure: the best, if
// reproduced. The caller owes rates of whole windows, undisturbed or not: disturbance only slows
// them.
#pragma once
#include <vector>

#include "core/estimate.h"

namespace rooftune::microbench {

/// The best windows of one ceiling seen so far.
class Samples {
 public:
  /// `tolerance`: spread allowed within the three best, 0.005 for computing, 0.03 for memory.
  /// `cycles`: the rate is proportional to the core clock, so windows may also agree in work per
  /// cycle.
  explicit Samples(double tolerance = 0.005, bool cycles = false)
      : tolerance_(tolerance), cycles_(cycles) {}

  /// `clock` 0: unknown.
  void add(double rate, double clock);
  /// Windows added since the beginning or the last restart.
  int windows() const { return windows_; }
  /// True when there are three windows and the best three agree: within the tolerance, or, when the
  /// clock moved between them (turbo), within 1 % per cycle of the clock seen beside each.
  bool reproduced() const;
  /// True when only the agreement per cycle makes it reproduced.
  bool clock_moved() const;
  /// Value and high are the best rate, low the third best. Not reproduced: value is the second
  /// best, so that a single glitch does not make the figure. {0, 0, 0} without windows.
  Estimate estimate() const;
  /// Highest core clock beside the three best windows [Hz], since disturbed readings are low; 0
  /// unknown.
  double clock() const;
  /// The best rates, best first, at most ten.
  std::vector<double> best() const;
  /// Forgets what was measured; a figure must not stay unstable for one early glitch.
  void restart();

 private:
  struct Sample {
    double rate, clock;
  };
  bool agree() const;

  double tolerance_;
  bool cycles_;
  int windows_ = 0;
  std::vector<Sample> best_;
};

}  // namespace rooftune::microbench
