// How a study shares its wall time between search, race, staircase and counts, and how long each is
// likely to take.
#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "core/quantity.h"
#include "core/seconds_since.h"
#include "store/study_record.h"

namespace rooftune::study {

/// The stages after the search, in this order.
enum class Part { race, staircase, counts };

inline constexpr const char* no_time = "no time was left, a longer --budget has some";

class Schedule {
 public:
  using Clock = std::chrono::steady_clock;
  /// `earlier`: wall time that the study's earlier runs took [s].
  explicit Schedule(std::optional<Seconds> wall = {}, Clock::time_point begin = Clock::now(),
                    double earlier = 0)
      : wall_(wall), elapsed_([=] { return earlier + seconds_since(begin); }) {}
  /// `elapsed`: stands in for a clock [s].
  Schedule(Seconds wall, std::function<double()> elapsed)
      : wall_(wall), elapsed_(std::move(elapsed)) {}
  double elapsed() const { return elapsed_(); }  ///< [s]
  bool is_limited() const { return wall_.has_value(); }
  /// The share of the wall time that has elapsed, 0 to 1; 0 without a limit.
  double share() const;
  /// How long until only `reserved` is left from the wall time [s]; infinite where no wall time is
  /// set.
  double left(double reserved = 0) const;
  /// A part's time limit [s]: it may run up to its share of the wall time, and what it leaves goes
  /// to the next. Counts get at least a twentieth, however long the parts before took. Where no
  /// wall time is set, enough for most kernels.
  double left_for(Part part) const;
  /// Time for all races together [s]: a fifth of the wall time.
  double for_races() const;
  /// Time kept for counts that are likely to take so long [s]: 5 to 20 % of the wall time.
  double for_counts(double likely) const;
  /// The least wall time from which as much is kept for counts [s].
  static double budget_to_count(double likely);
  /// From here on, race and staircase leave that much time for counts.
  void keep_for_counts(double likely) { likely_counts_ = likely; }

 private:
  std::optional<Seconds> wall_;
  std::function<double()> elapsed_;
  double likely_counts_ = 0;
};

/// How long a trial takes, judged by the latest ones [s].
struct Pace {
  double build = 0;  ///< its compiler
  double run = 0;    ///< validating and timing
  double total = 0;  ///< wall time, as builds and trials went
  /// How long a trial takes with so many compilers at work at once [s].
  double trial(int builders) const { return build / builders + run; }
};
Pace pace(const History& history);

/// How long a trial's configuration is likely to keep a race of so many rounds busy, with its
/// checks before and after [s].
double wall_in_race(const Trial& trial, int rounds);

/// How long it is likely to take to count a trial's work [s]: one more build, beside others, and
/// calls that write a trace.
double likely_to_count(const Trial& trial, const Pace& pace, int builders);

/// How many configurations are built together: all cores build a batch while nothing is timed, then
/// its configurations are timed one after the other while nothing is built. 1 to 16; 1 where
/// building is cheap beside timing, or was done before.
size_t batch_size(const Pace& pace, int builders);

}  // namespace rooftune::study
