// The wall time of a command, its split among the stages after the search, and the size of a batch.
#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>

#include "core/quantity.h"
#include "core/seconds_since.h"
#include "trial/trial.h"

namespace rooftune::study {

/// The stages after the search, in this order.
enum class Part { race, ablation, counts };

class Schedule {
 public:
  using Clock = std::chrono::steady_clock;
  /// `earlier`: wall time of the study's earlier runs [s].
  explicit Schedule(std::optional<Seconds> wall = {}, Clock::time_point begin = Clock::now(),
                    double earlier = 0)
      : wall_(wall), elapsed_([=] { return earlier + seconds_since(begin); }) {}
  /// `elapsed`: in the place of a clock [s].
  Schedule(Seconds wall, std::function<double()> elapsed)
      : wall_(wall), elapsed_(std::move(elapsed)) {}
  double elapsed() const { return elapsed_(); }  ///< [s]
  bool is_limited() const { return wall_.has_value(); }
  /// Elapsed share of the wall time, 0 to 1; 0 without a limit.
  double share() const;
  /// Until nothing but `reserved` is left of the wall time [s]; infinite where none is set.
  double left(double reserved = 0) const;
  /// Time limit of a part [s]: up to its share of the wall time, with any rest for the next one; of
  /// counts a twentieth, however long the parts before took. Without a limit, enough for most
  /// kernels.
  double left_for(Part part) const;
  /// Of all races together [s]: a fifth of the wall time.
  double for_races() const;
  /// What is kept for counts that likely take so long [s]: 5 to 20 % of the wall time.
  double for_counts(double likely) const;
  /// The least wall time of which that much is kept for counts [s].
  static double budget_to_count(double likely);
  /// From here on race and ablation leave as much.
  void keep_for_counts(double likely) { likely_counts_ = likely; }

 private:
  std::optional<Seconds> wall_;
  std::function<double()> elapsed_;
  double likely_counts_ = 0;
};

/// Time of a trial, from the latest ones [s].
struct Pace {
  double build = 0;  ///< its compiler
  double run = 0;    ///< validating and timing
  double total = 0;  ///< of wall time, as builds and trials went
  /// With so many compilers at work at once.
  double trial(int builders) const { return build / builders + run; }
};
Pace pace(const History& history);

/// What counting the work of a trial that ran likely takes [s]: one more build, and calls that
/// write a trace.
double likely_to_count(const Trial& trial, const Pace& pace);

/// All cores build a batch while nothing is timed, then its configurations are timed one after the
/// other while nothing is built. At least 1, at most 16; 1 where building is cheap beside timing,
/// or was done before.
std::size_t batch_size(const Pace& pace, int builders);

}  // namespace rooftune::study
