// Measures this host's ceilings: the in-core lattice, every memory level that a sweep finds,
// anchors. Records other activity on the machine. A figure is the fastest one seen; stable = false
// where the best windows disagree, shown_only = true where it is impossible.
#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/callback.h"
#include "core/list.h"
#include "os/topology.h"
#include "probe/clocks.h"
#include "probe/in_core_kernels.h"
#include "probe/plan.h"
#include "roofline/machine.h"

namespace rooftune::probe {

class Bench;
using SharedBench = std::shared_ptr<Bench>;
struct Subject;

struct ProbeOptions {
  bool full = false;          ///< takes under six minutes, not a quarter of a minute
  std::string name = "host";  ///< the machine's
  /// Called often, by the calling thread, with the phase and how much of the probe is done, 0..1.
  std::function<void(const std::string& phase, double done)> progress;
  /// Asked often; true ends the probe with Error (code interrupted).
  Question interrupted;
  double seconds = 0;  ///< budget; 0: 15, or 320 when full
  /// Walked per thread and kind of pages; 0: chosen from caches and memory.
  size_t memory_bytes = 0;
};

/// A probe's time and progress.
struct ProbeClock {
  /// `quick`, `full`: the usual budgets [s].
  ProbeClock(const ProbeOptions& chosen, double quick, double full)
      : options(chosen),
        budget(chosen.seconds > 0 ? chosen.seconds
               : chosen.full      ? full
                                  : quick) {}
  const ProbeOptions& options;
  double budget;  ///< [s]
  double start = now();

  double left() const { return std::max(0.0, start + budget - now()); }
  void show(const std::string& phase) const {
    if (options.progress) options.progress(phase, std::min(1.0, 1 - left() / budget));
  }
  Extent extent() const { return options.full ? Extent::full : Extent::quick; }
};

/// Probes this host. Takes about the budget, less where figures settle early. On an architecture
/// without micro-kernels the machine has no ceilings, and a note says so. Throws Error when CPUs
/// cannot be pinned to, memory is short, or `interrupted` says so. The caller may mask features.
Machine probed_host(const ProbeOptions& options, const Topology& host = topology(),
                    const CpuFeatures& features = cpu_features());

/// Measures the named ceilings again, about a fifth of a second each: an anchor before and after
/// other work. Leaves out ceilings that this host cannot run, and those for which other work left
/// no window undisturbed. Throws Error for a name that the machine does not know. Asks
/// `interrupted` before each, and then leaves out the rest. `bench`: used if it has the room.
CeilingList remeasure(const Machine& machine, const Texts& names, const Question& interrupted = {},
                      SharedBench bench = nullptr);

/// The ceilings for a precision that a quick probe leaves out, measured as it would have done, in
/// two seconds; none on an architecture without micro-kernels, or for a precision without kernels.
CeilingList measure_precision(const std::string& precision, const Question& interrupted = {});

/// A reading of the system's counters, to tell other activity on the machine during a measurement.
/// Unknown is not the same as none.
struct Contention {
  double seconds = 0;          ///< when [s]
  std::optional<double> busy;  ///< CPU seconds that all processes took
  /// What this process and its descendants, workers and compilers, took of `busy`.
  std::optional<double> own;
  std::optional<double> steal;  ///< CPU seconds that the hypervisor took away
  /// This thread's core clock [Hz]: the fastest of five chains of dependent additions, 15 us each.
  /// Absent where the architecture has no such chain.
  std::optional<double> clock;
};
Contention contention();
/// "while measuring: 0.3 CPUs busy with other work, steal 0.1 %, ...".
std::string contention_note(const Contention& before, const Contention& after);

/// Holds pinned threads, asleep between calls, and their memory. Pins neither the calling thread
/// nor processes started meanwhile. One call at a time.
class RoofBench {
 public:
  /// Takes those named of the ceilings that this host can run again in milliseconds: no random
  /// walks, for they link their memory anew each time; none on an architecture without
  /// micro-kernels. Runs each once, so that the first rates are no slower than later ones. Throws
  /// Error when a CPU cannot be pinned to or memory is short. `bench`: used if it has the room.
  RoofBench(const CeilingList& known, const Texts& names, SharedBench bench = nullptr);
  ~RoofBench();
  const Texts& names() const { return names_; }
  /// Each ceiling's rate now: the median over a few windows, about 5 ms for each; ordered as the
  /// names [flop/s, B/s]; 0 for one without a window.
  Numbers rates();

 private:
  SharedBench bench_;
  std::list<Subject> subjects_;
  Texts names_;
};

}  // namespace rooftune::probe
