// Measuring this host from the command line: progress on standard error, the machine file written.
#pragma once
#include <filesystem>
#include <string>

#include "roofline/machine.h"

namespace rooftune {

/// Probes and writes `file` (empty: the first writable machine directory). Returns the file.
std::filesystem::path probe_host(const std::string& name, bool full, std::filesystem::path file,
                                 bool quiet, Machine& machine);
/// A quick probe when the machine asked for is "host" and was never measured.
void probe_if_never_probed(const std::string& machine, bool quiet);

}  // namespace rooftune
