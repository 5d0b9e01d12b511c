// Measuring this host from the command line: progress on standard error, the machine file written.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "cli/options.h"
#include "os/timing_locks.h"
#include "roofline/machine.h"

namespace rooftune::cli {

/// Shows phases on standard error: on a terminal one line that changes.
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

/// Where a probe writes: `output`, or the first writable machine directory. Throws Error for a name
/// that cannot be a file's.
std::filesystem::path probe_file(const std::string& name, const std::string& output);
/// What people wrote there of a cluster, which no probe knows; absent where no file can be read.
std::optional<SlurmRequest> earlier_slurm(const std::filesystem::path& file);
/// Waits for who times on the cores of this process and keeps others from it; says who that is.
std::vector<FileLock> alone_on_host();
/// Probes and writes the machine file, which it returns. What an earlier probe of this machine has
/// written there and was faster stays, unless it shall be forgotten; a file that cannot be read is
/// set aside.
std::filesystem::path probe_host(const ProbeOptionsLine& options, Machine& machine);
/// A quick probe when the machine asked for is "host" and was never measured.
void probe_if_never_probed(const std::string& machine, bool quiet);

}  // namespace rooftune::cli
