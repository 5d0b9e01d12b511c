// A ceiling's raw rates, and the rule for its figure: the best one seen. Disturbance only slows a
// window, so disturbed ones may stay, and a rate reached once is possible, reproduced or not. The
// rounds over ceilings that both probes make, the host's and a card's. And a team of pinned threads
// that run timed windows: a barrier, then every thread's own start and end. The caller sleeps
// meanwhile, unpinned; timed work neither throws nor blocks.
#pragma once
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/callback.h"
#include "core/error.h"
#include "core/list.h"
#include "core/modules.h"
#include "core/quantity.h"
#include "os/topology.h"
#include "probe/clocks.h"
#include "probe/in_core_kernels.h"
#include "roofline/machine.h"

namespace rooftune::probe {

/// A ceiling's windows.
class Samples {
 public:
  /// `tolerance`: how far the three best may spread, 0.005 for computing, 0.03 for memory.
  /// `cycles`: the rate follows the core clock, so windows may also agree in work per cycle.
  explicit Samples(double tolerance = 0.005, bool cycles = false)
      : tolerance_(tolerance), cycles_(cycles) {}

  /// `clock`: the core's beside the window [Hz]; 0 unknown.
  void add(double rate, double clock);
  /// Windows added since the beginning or the last restart.
  int windows() const { return int(samples_.size()); }
  /// True when the three best windows agree within the tolerance; or, where the clock moved
  /// (turbo), when the three best per cycle agree within the tolerance or 1 %.
  bool reproduced() const { return agree() || agree_per_cycle(); }
  /// True when the windows agree only per cycle.
  bool clock_moved() const { return !agree() && agree_per_cycle(); }
  /// Value and high are the best rate, low the third best. {0, 0, 0} without windows.
  Estimate estimate() const;
  /// Core clock beside the best window [Hz]; 0 unknown.
  double clock() const { return samples_.empty() ? 0 : samples_.front().clock; }
  double tolerance() const { return tolerance_; }
  /// The best rates, best first, at most ten.
  Numbers best() const;
  /// Takes the best window out when it is alone: over 10 % above the next three, which agree. Such
  /// a window is a glitch in timer or clock.
  void drop_lone_best();
  /// How many windows were taken out so.
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

/// A ceiling under measurement; the probes add its exercise.
struct Visited {
  Samples samples;
  bool calibrated = false;
  int visits = 0;
  int quiet_visits = 0;  ///< visits since the best rate last rose

  double best_rate() const { return samples.estimate().value; }
  /// Call this after adding windows; `before`: the best rate until then.
  void count_visit(double before);
  /// True when its best is reproduced and has not risen for so many visits.
  bool settled(int enough) const { return samples.reproduced() && quiet_visits >= enough; }
};

struct Turns {
  double deadline;     ///< as now() has it
  size_t least_turns;  ///< turns, over all subjects, before the deadline counts
  int enough_visits;   ///< a subject's visits before a lone best window is left out
  int enough_quiet;    ///< visits without a gain that settle a subject
  Callback tick;
  Question interrupted;
};

/// Visits the subjects in turn, settled ones rarely, until the deadline or until all are settled.
/// Throws Error (code interrupted) when `interrupted` says so.
template <class Subject, class Visit>
void go_round(const std::vector<Subject*>& subjects, const Turns& rounds, const Visit& visit) {
  constexpr int rare = 4;
  size_t turn = 0;
  for (size_t round = 0;; ++round) {
    bool all_settled = round > 0;
    for (size_t i = 0; i < subjects.size(); ++i, ++turn) {
      Subject& subject = *subjects[i];
      if (rounds.interrupted && rounds.interrupted())
        throw Error("interrupted; no machine file was written", "probe", {}, ExitCode::interrupted);
      if (turn >= rounds.least_turns && now() >= rounds.deadline) return;
      if (subject.settled(rounds.enough_quiet) && (round + i) % rare != 0) continue;
      visit(subject);
      if (subject.visits >= rounds.enough_visits) subject.samples.drop_lone_best();
      all_settled = all_settled && subject.settled(rounds.enough_quiet);
      if (rounds.tick) rounds.tick();
    }
    if (all_settled) return;
  }
}

/// The ceiling with rate, samples, clock, stability and source filled in. `how`: the measurement
/// and its windows; `fault`: why it is impossible, empty for none; a ceiling with a fault is shown
/// only.
Ceiling measured(Ceiling ceiling, const Samples& samples, const std::string& how,
                 const std::string& fault);

/// A window's time and clock.
struct Window {
  double seconds = 0;  ///< last end minus first start over the threads
  double clock = 0;    ///< core clock beside it [Hz], mean over the threads; 0 unknown
  bool steady = true;  ///< each thread read the same clock right before and right after
  double missing = 0;  ///< longest time that a thread had to wait for its core [s]

  /// No other program had a thread's core for a part of it that counts.
  bool undisturbed() const { return missing <= 0.05 * seconds; }
};
using Windows = std::vector<Window>;

/// Takes disturbed windows out where there are others.
void keep_undisturbed(Windows& windows);

/// What each thread of a team does, by its number in the team.
using MemberWork = std::function<void(int)>;

class Team {
 public:
  /// One thread per CPU, pinned to it, with denormals flushed. Throws Error when a CPU cannot be
  /// pinned to.
  explicit Team(const Cpus& cpus);
  ~Team();

  int size() const { return int(members_.size()); }
  /// Runs work(0) ... work(threads - 1), each on its own thread, and waits; rethrows their
  /// exceptions.
  void run(int threads, const MemberWork& work);
  /// Runs `warm` untimed, then `count` windows of `work`; the clock is read with vectors of
  /// `clock_bits`.
  Windows windows(int threads, int count, int clock_bits, const MemberWork& warm,
                  const MemberWork& work);

 private:
  struct Member {
    std::thread thread;
    std::atomic<int> turn{0};
    std::exception_ptr fault;
  };
  void serve(int index);
  void stop();

  std::vector<std::unique_ptr<Member>> members_;
  const MemberWork* work_ = nullptr;
  std::atomic<int> left_{0};
  std::atomic<bool> stop_{false};
};

}  // namespace rooftune::probe
