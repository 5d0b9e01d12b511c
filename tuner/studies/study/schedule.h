// The wall time of a command, and its split among the stages after the search.
#pragma once
#include <chrono>
#include <optional>

#include "core/quantity.h"

namespace rooftune::study {

/// The stages after the search, in this order.
enum class Part { race, ablation, experiments, counts };

class Schedule {
 public:
  using Clock = std::chrono::steady_clock;
  /// `earlier`: wall time of the study's earlier runs [s].
  explicit Schedule(std::optional<Seconds> wall = {}, Clock::time_point begin = Clock::now(),
                    double earlier = 0)
      : wall_(wall), begin_(begin), earlier_(earlier) {}
  double elapsed() const;  ///< [s]
  /// Elapsed share of the wall time, 0 to 1; 0 without a limit.
  double share() const;
  /// Until nothing but `reserved` is left of the wall time [s]; infinite where none is set.
  double left(double reserved = 0) const;
  /// Time limit of a part [s]: up to its share of the wall time, with any rest for the next one;
  /// without a limit, enough for most kernels.
  double left_for(Part part) const;

 private:
  std::optional<Seconds> wall_;
  Clock::time_point begin_;
  double earlier_;
};

}  // namespace rooftune::study
