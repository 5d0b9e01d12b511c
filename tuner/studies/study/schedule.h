// The wall time of a command, and how what comes after the search shares it.
#pragma once
#include <chrono>
#include <optional>

#include "core/quantity.h"

namespace rooftune::study {

/// What follows the search, in this order.
enum class Part { race, ablation, experiments, counts };

class Schedule {
 public:
  using Clock = std::chrono::steady_clock;
  /// `earlier`: what earlier runs of the study took of it [s].
  explicit Schedule(std::optional<Seconds> wall = {}, Clock::time_point begin = Clock::now(),
                    double earlier = 0)
      : wall_(wall), begin_(begin), earlier_(earlier) {}
  double elapsed() const;  ///< [s]
  /// Share of the wall time that is over, 0 to 1; 0 where none is set.
  double share() const;
  /// Until nothing but `reserved` is left of the wall time [s]; infinite where none is set.
  double left(double reserved = 0) const;
  /// What a part may take [s]: up to its share of the wall time, which it leaves to the next when
  /// it needs less; where none is set, what most kernels need.
  double left_for(Part part) const;

 private:
  std::optional<Seconds> wall_;
  Clock::time_point begin_;
  double earlier_;
};

}  // namespace rooftune::study
