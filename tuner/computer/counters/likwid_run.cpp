// Counting of a variant with likwid-perfctr: two runs of a worker for each performance group.
// Counts are of hardware threads, with all other work there meanwhile.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "counters/counted_quantities.h"
#include "counters/likwid.h"
#include "counters/provider.h"
#include "counters/unfinished_run.h"
#include "os/topology.h"

namespace rooftune::counters {
namespace {

/// Calls for a time long enough to change LIKWID's printed digits.
std::int64_t enough_calls(double call_seconds) {
  constexpr double wanted_seconds = 1;
  constexpr std::int64_t least = 4, most = 2000;
  if (!(call_seconds > 0)) return most;
  return std::clamp(static_cast<std::int64_t>(std::ceil(wanted_seconds / call_seconds)), least,
                    most);
}

struct Run {
  std::vector<LikwidGroup> groups;
  double call_seconds = 0;
};

/// One run and its tables. After an early end the tool's own message is the better one.
Run counted(const Command& tool, std::int64_t calls, const ProcessLauncher& launch) {
  try {
    const ProcessRun run = launch(tool, calls);
    return {read_likwid_csv(run.output), run.call_seconds};
  } catch (const UnfinishedRun& run) {
    try {
      read_likwid_csv(run.output());
    } catch (const Error& error) {
      if (error.message().find("no table") == std::string::npos) throw;
    }
    throw;
  }
}

/// This machine's LIKWID has no such group; it may have the others.
bool is_lack(const Error& error) { return error.message().starts_with("likwid: "); }

std::string sentence(const std::string& group, const Error& error) {
  return fmt::format("group {} was not counted: {}{}", group, error.message(),
                     error.hint().empty() ? "" : " (" + error.hint() + ")");
}

/// All groups of both runs, and the reasons for missing ones.
struct Measured {
  std::vector<LikwidGroup> few, many;
  std::int64_t calls = 0;  ///< difference of the runs
  std::vector<std::string> lacking, denied;
};

Measured measured(const std::string& program, const std::vector<int>& cpus,
                  const ProcessLauncher& launch) {
  Measured all;
  std::optional<Error> last;
  for (const std::string& group : likwid_groups()) {
    const Command tool = likwid_command(program, cpus, group, {});
    try {
      const Run few = counted(tool, 1, launch);
      if (all.calls == 0) all.calls = enough_calls(few.call_seconds);
      const Run many = counted(tool, 1 + all.calls, launch);
      all.few.insert(all.few.end(), few.groups.begin(), few.groups.end());
      all.many.insert(all.many.end(), many.groups.begin(), many.groups.end());
    } catch (const Error& error) {
      last = error;
      if (is_lack(error)) {
        all.lacking.push_back(sentence(group, error));
        continue;
      }
      // Denied from the start: nothing to keep. Denied meanwhile: the counts so far stand.
      if (all.few.empty()) throw;
      all.denied.push_back(sentence(group, error));
      break;
    }
  }
  if (all.few.empty()) throw *last;
  return all;
}

}  // namespace

Counts count_with_likwid(const CountingPlan& plan, const ProcessLauncher& launch) {
  if (!plan.warm)
    throw Error(
        "LIKWID counts whole programs: what empties the caches before every call would be "
        "counted with it",
        "--counters likwid", "tune with --cache warm, or count with perf or instrumented");
  const auto program = find_program("likwid-perfctr");
  if (!program)
    throw Error("likwid-perfctr is not installed", "--counters likwid",
                "install LIKWID (Debian: likwid)", ExitCode::unavailable);
  std::vector<int> cpus = topology().cpus;
  if (cpus.size() > static_cast<std::size_t>(plan.threads))
    cpus.resize(static_cast<std::size_t>(std::max(plan.threads, 1)));
  const Measured all = measured(program->string(), cpus, launch);
  HardwareCounts hardware = likwid_difference(all.few, all.many, static_cast<double>(all.calls));
  hardware.notes.insert(hardware.notes.end(), all.lacking.begin(), all.lacking.end());
  hardware.flags.insert(hardware.flags.end(), all.denied.begin(), all.denied.end());
  return counts_of(hardware, "likwid",
                   fmt::format("likwid-perfctr, two runs that differ by {} calls", all.calls));
}

}  // namespace rooftune::counters
