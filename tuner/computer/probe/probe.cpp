#include "probe/probe.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "core/error.h"
#include "core/list.h"
#include "os/process_tree.h"
#include "probe/bench.h"
#include "probe/clocks.h"
#include "probe/in_core_kernels.h"
#include "probe/self_check.h"
#include "roofline/rates.h"

namespace rooftune::probe {
namespace {

/// The ceiling's rate now: the median over undisturbed windows. While other programs leave none,
/// the fastest, for a disturbed window is only too slow. 0 without any.
double rate_now(Bench& bench, Subject& subject) {
  double fastest = 0;
  // The bench throws away windows that are far too short.
  constexpr int most_tries = 4;
  for (int tries = 0; tries < most_tries; ++tries) {
    subject.samples.restart();
    const bool undisturbed = bench.visit(subject);
    const Numbers rates = subject.samples.best();
    if (rates.empty()) continue;
    if (undisturbed) return rates[rates.size() / 2];
    fastest = std::max(fastest, rates.front());
  }
  return fastest;
}

/// user nice system idle iowait irq softirq steal, in ticks.
void read_stat(Contention& reading) {
  std::ifstream file("/proc/stat");
  std::string word;
  double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0;
  if (!(file >> word >> user >> nice >> system >> idle >> wait >> irq >> soft >> steal)) return;
  const auto tick = double(sysconf(_SC_CLK_TCK));
  reading.busy = (user + nice + system + irq + soft) / tick;
  reading.steal = steal / tick;
}

/// A preempted reading is too low, never too high.
void read_clock(Contention& reading) {
  constexpr int readings = 5;
  double fastest = 0;
  for (int i = 0; i < readings; ++i) fastest = std::max(fastest, core_clock(64));
  if (fastest > 0) reading.clock = fastest;
}

double seconds(const timeval& time) { return double(time.tv_sec) + 1e-6 * double(time.tv_usec); }

}  // namespace

CeilingList remeasure(const Machine& machine, const Texts& names, const Question& interrupted,
                      SharedBench bench) {
  CeilingList wanted;
  for (const std::string& name : names) {
    const Ceiling* const found = ceiling_named(machine.ceilings, name);
    if (!found)
      throw Error("machine \"" + machine.name + "\" has no ceiling \"" + name + "\"", "remeasure");
    wanted.push_back(*found);
  }
  bench = bench_for(wanted, std::move(bench));
  CeilingList result;
  constexpr double seconds_each = 0.2;
  Subjects subjects;
  for (Subject* const subject : bench->add(subjects, wanted)) {
    if (interrupted && interrupted()) break;
    go_round(*bench, {subject}, now() + seconds_each, {}, {});
    // On a busy machine not a single window may fit: then there is no rate, not a rate of 0.
    if (const Ceiling now = measured(*subject); now.rate.value > 0) result.push_back(now);
  }
  return result;
}

CeilingList measure_precision(const std::string& precision, const Question& interrupted) {
  const auto plan =
      in_core_plan(cpu_features(), thread_counts(topology()), Extent::quick, precision);
  if (plan.empty()) return {};
  const auto bench = bench_for(plan);
  Subjects subjects;
  constexpr double seconds = 2;
  go_round(*bench, bench->add(subjects, plan), now() + seconds, {}, interrupted);
  CeilingList result;
  for (const Subject& subject : subjects)
    if (subject.samples.windows() > 0) result.push_back(measured(subject));
  return result;
}

RoofBench::RoofBench(const CeilingList& known, const Texts& names, SharedBench bench) {
  CeilingList all;
  for (const std::string& name : names)
    if (const Ceiling* ceiling = ceiling_named(known, name); ceiling && misses_of(*ceiling) == 0)
      all.push_back(*ceiling);
  if (all.empty() || in_core_kernels(cpu_features()).empty()) return;
  bench_ = bench_for(all, std::move(bench));
  for (Subject* const subject : bench_->add(subjects_, all)) {
    names_.push_back(subject->ceiling.name);
    // The first walk over new memory is up to half as fast as later ones.
    rate_now(*bench_, *subject);
  }
}

RoofBench::~RoofBench() = default;

Numbers RoofBench::rates() {
  Numbers rates;
  for (Subject& subject : subjects_) rates.push_back(rate_now(*bench_, subject));
  return rates;
}

Contention contention() {
  Contention reading;
  reading.seconds = now();
  read_stat(reading);
  rusage self{}, waited_for{};
  if (getrusage(RUSAGE_SELF, &self) == 0 && getrusage(RUSAGE_CHILDREN, &waited_for) == 0)
    reading.own = seconds(self.ru_utime) + seconds(self.ru_stime) + seconds(waited_for.ru_utime) +
                  seconds(waited_for.ru_stime) + descendants_cpu_seconds(getpid());
  read_clock(reading);
  return reading;
}

std::string contention_note(const Contention& before, const Contention& after) {
  const double span = std::max(1e-9, after.seconds - before.seconds);
  const auto rate = [&](const std::optional<double>& start, const std::optional<double>& end) {
    return start && end ? std::optional<double>(std::max(0.0, *end - *start) / span) : std::nullopt;
  };
  const auto busy = rate(before.busy, after.busy), own = rate(before.own, after.own);
  const auto steal = rate(before.steal, after.steal);
  std::string note = fmt::format("while measuring ({:.1f} s): ", span);
  note += busy && own ? fmt::format("{:.2f} CPUs busy with other work", std::max(0.0, *busy - *own))
                      : "other work unknown";
  note += steal ? fmt::format(", steal {:.1f} % of a CPU", 100 * *steal) : ", steal unknown";
  if (before.clock && after.clock)
    note += fmt::format(", core clock {:.2f} GHz before and {:.2f} GHz after", 1e-9 * *before.clock,
                        1e-9 * *after.clock);
  return note;
}

}  // namespace rooftune::probe
