// The user's request to end this process: Ctrl-C, a closed terminal, a scheduler's signal. Every
// wait for a child lets Interrupted pass. And time limits, which end work in the same way.
#pragma once
#include <chrono>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/seconds_since.h"
#include "core/unique.h"

namespace rooftune::os {

/// From now on the first SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2 or SIGXCPU makes
/// interrupted() true, ends the children now waited for, and lets those waits throw Interrupted.
/// SIGHUP stays ignored where it was (nohup). A second SIGINT, SIGTERM or SIGQUIT ends this process
/// at once with 130; its guard ends the children, and records are already on disk.
void watch_interrupts();
/// True after a signal, once watch_interrupts() was called, or when a TimeLimit has run out.
bool interrupted();
/// Call this between two pieces of work, each worth keeping on its own.
void throw_if_interrupted();

/// While it lives, all waits are interrupted when its time runs out, as by a signal; among nested
/// limits, the earliest end counts. Only one thread at a time may use limits; the waits may be in
/// others.
class TimeLimit : Unique {
 public:
  /// `seconds` from now; any number, infinity for no limit.
  explicit TimeLimit(double seconds);
  ~TimeLimit();
  /// True when its own time is over.
  bool is_over() const { return SteadyClock::now() >= end_; }
  /// The earliest end among all limits; SteadyClock::time_point::max() without any.
  static SteadyClock::time_point end();

 private:
  SteadyClock::time_point before_, end_ = SteadyClock::time_point::max();
};

/// Does `work` within a limit [s]; false where it took longer and was given up. Throws Interrupted
/// where the user, or a limit around it, wants an end.
template <class Work>
bool in_time(double seconds, const Work& work) {
  std::optional<TimeLimit> limit(std::in_place, seconds);
  try {
    work();
  } catch (const Interrupted&) {
    const bool is_over = limit->is_over();
    limit.reset();
    if (!is_over || interrupted()) throw;
    return false;
  }
  return true;
}
/// Becomes readable with the first signal and stays so, for poll(); -1 in a process without
/// watch_interrupts().
int interruption_descriptor();

/// After a child ended by this signal: a signal to a whole group, as from Slurm and terminals,
/// reaches this process as well, though perhaps a moment later. Waits for it and throws
/// Interrupted; the child must not count as failed.
void throw_if_all_were_asked_to_end(std::optional<int> signal);

}  // namespace rooftune::os
