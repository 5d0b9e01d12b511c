// Probe of this host from the command line: progress on standard error, the machine file written.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "cli/options.h"
#include "os/timing_locks.h"
#include "roofline/machine.h"

namespace rooftune::cli {

/// Shows phases on standard error: on a terminal one changing line.
class ProbeProgress {
 public:
  explicit ProbeProgress(bool quiet);
  ~ProbeProgress();
  ProbeProgress(const ProbeProgress&) = delete;
  ProbeProgress& operator=(const ProbeProgress&) = delete;
  /// `done`: share of the whole probe, 0..1.
  void show(const std::string& phase, double done);

 private:
  bool quiet_, tty_, open_ = false;
  std::string last_;
};

/// Place of a probe's file: `output`, or the first writable machine directory. Throws Error for a
/// name unfit for a file.
std::filesystem::path probe_file(const std::string& name, const std::string& output);
/// Cluster settings written there by people, unknown to any probe; absent without a readable file.
std::optional<SlurmRequest> earlier_slurm(const std::filesystem::path& file);
/// Waits for other timings on the cores of this process and keeps others from it; shows their
/// owner.
std::vector<FileLock> alone_on_host();
/// Probes, writes the machine file and returns its path. Faster figures of an earlier probe of this
/// machine in this file stay, unless they are to be forgotten; an unreadable file is set aside.
std::filesystem::path probe_host(const ProbeOptionsLine& options, Machine& machine);
/// A quick probe when the machine is "host", without an earlier probe.
void probe_if_never_probed(const std::string& machine, bool quiet);

}  // namespace rooftune::cli
