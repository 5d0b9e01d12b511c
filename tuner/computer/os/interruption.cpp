// The signal handler. It writes to an event that every wait polls, for a signal may reach any
// thread, and may come between a look at a flag and the wait.
#include "os/interruption.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

namespace rooftune::os {
namespace {

volatile std::sig_atomic_t interrupts = 0, demands = 0;
volatile int event = -1;
std::atomic<SteadyClock::time_point> next_end = SteadyClock::time_point::max();

void on_interrupt(int number) {
  const int kept = errno;
  // Other signals come twice by themselves, from a closing terminal or a scheduler that warns.
  const bool typed = number == SIGINT || number == SIGTERM || number == SIGQUIT;
  interrupts = 1;
  demands = demands + (typed ? 1 : 0);
  if (demands > 1) _exit(130);
  const uint64_t one = 1;
  (void)!write(event, &one, sizeof one);
  errno = kept;
}

}  // namespace

void watch_interrupts() {
  if (event < 0) event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  // A half-written record must not be torn; poll() ends all the same.
  action.sa_flags = SA_RESTART;
  for (const int number : {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU}) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if (number != SIGHUP || before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
  }
  // A closed pipe makes a write fail; if the process died instead, the study's summary would be
  // lost.
  std::signal(SIGPIPE, SIG_IGN);
}

bool interrupted() { return interrupts > 0 || SteadyClock::now() >= TimeLimit::end(); }

void throw_if_interrupted() {
  if (interrupted()) throw Interrupted{};
}

TimeLimit::TimeLimit(double seconds) : before_(end()) {
  constexpr double years = 1e9;
  if (seconds >= years) return;
  end_ = SteadyClock::now() +
         std::chrono::duration_cast<SteadyClock::duration>(std::chrono::duration<double>(seconds));
  next_end = std::min(before_, end_);
}

TimeLimit::~TimeLimit() { next_end = before_; }

SteadyClock::time_point TimeLimit::end() { return next_end; }

int interruption_descriptor() { return event; }

void throw_if_all_were_asked_to_end(std::optional<int> signal) {
  constexpr int moment = 1000;  // [ms]; slurmd signals one process after the other
  if (signal != SIGINT && signal != SIGTERM && signal != SIGQUIT && signal != SIGHUP) return;
  pollfd own{event, POLLIN, 0};
  if (event >= 0) poll(&own, 1, moment);
  throw_if_interrupted();
}

}  // namespace rooftune::os
