// Other activity of the machine during a measurement: load, pressure, steal, and the effective
// clock. Unknown is not the same as none.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "os/process_tree.h"
#include "probe/clock.h"
#include "probe/probe.h"

namespace rooftune::probe {
namespace {

/// user nice system idle iowait irq softirq steal, in ticks.
void read_stat(Contention& reading) {
  std::ifstream file("/proc/stat");
  std::string word;
  double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0;
  if (!(file >> word >> user >> nice >> system >> idle >> wait >> irq >> soft >> steal)) return;
  const auto tick = static_cast<double>(sysconf(_SC_CLK_TCK));
  reading.busy = (user + nice + system + irq + soft) / tick;
  reading.steal = steal / tick;
}

void read_pressure(Contention& reading) {
  std::ifstream file("/proc/pressure/cpu");
  std::string line;
  if (!std::getline(file, line)) return;
  double total = 0;
  const auto place = line.find("total=");
  if (place != std::string::npos && std::sscanf(line.c_str() + place, "total=%lf", &total) == 1)
    reading.waiting = 1e-6 * total;
}

/// A preempted reading is too low, never too high.
void read_clock(Contention& reading) {
  constexpr int readings = 5;
  double fastest = 0;
  for (int i = 0; i < readings; ++i) fastest = std::max(fastest, core_clock(64));
  if (fastest > 0) reading.clock = fastest;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

Contention contention() {
  Contention reading;
  reading.seconds = now();
  read_stat(reading);
  read_pressure(reading);
  rusage self{}, waited_for{};
  if (getrusage(RUSAGE_SELF, &self) == 0 && getrusage(RUSAGE_CHILDREN, &waited_for) == 0)
    reading.own = seconds(self.ru_utime) + seconds(self.ru_stime) + seconds(waited_for.ru_utime) +
                  seconds(waited_for.ru_stime) + descendants_cpu_seconds(getpid());
  double load = 0;
  if (std::ifstream("/proc/loadavg") >> load) reading.load = load;
  read_clock(reading);
  return reading;
}

std::string contention_note(const Contention& before, const Contention& after) {
  const double span = std::max(1e-9, after.seconds - before.seconds);
  const auto rate = [&](const std::optional<double>& start, const std::optional<double>& end) {
    return start && end ? std::optional<double>(std::max(0.0, *end - *start) / span) : std::nullopt;
  };
  const auto busy = rate(before.busy, after.busy), own = rate(before.own, after.own);
  const auto steal = rate(before.steal, after.steal), wait = rate(before.waiting, after.waiting);
  std::string note = fmt::format("while measuring ({:.1f} s): ", span);
  note += busy && own ? fmt::format("{:.2f} CPUs busy with other work", std::max(0.0, *busy - *own))
                      : "other work unknown";
  note += steal ? fmt::format(", steal {:.1f} % of a CPU", 100 * *steal) : ", steal unknown";
  note += wait ? fmt::format(", some task waited for a CPU {:.0f} % of the time", 100 * *wait)
               : ", CPU pressure unknown";
  if (before.load && after.load)
    note += fmt::format(", load average {:.2f} before and {:.2f} after", *before.load, *after.load);
  if (before.clock && after.clock)
    note += fmt::format(", core clock {:.2f} GHz before and {:.2f} GHz after", 1e-9 * *before.clock,
                        1e-9 * *after.clock);
  return note;
}

}  // namespace rooftune::probe
