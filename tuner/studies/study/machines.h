// Machine files by name, and their comparison with this computer.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/list.h"
#include "roofline/machine.h"

namespace rooftune::study {

/// All machine files by name; the first directory that has a name wins.
ByName<fs::path> machine_files();
/// Every machine whose file can be read, with its name. Another machine's broken file is no reason
/// to stop: `tune list machines` shows it.
std::vector<std::pair<std::string, Machine>> readable_machines();
/// A machine's file; nullopt when there is none. A path to a .json file is taken as it is.
std::optional<fs::path> machine_file(const std::string& name);
/// True for every machine but a host that was never probed.
bool is_probed(const std::string& machine);
/// Reads a machine by name ("a100-80" finds a100_80) or path. Throws Error, with the known names.
Machine load_machine(const std::string& name);
/// The machine as far as this process may use it now. Where an affinity mask or a control group
/// leaves fewer cores than the machine has, and at least `threads`, it has another id: a study on
/// part of a machine, beside other users, differs from one on the whole. Ceilings stay those of the
/// whole. Else unchanged.
Machine as_usable_here(Machine machine, int threads);
/// Why the machine is not this host ("its CPU is ..., this one is ..."); empty when it is.
std::string why_not_here(const Machine& machine);
/// Throws Error when the back end computes on another kind of machine; `backends` are the kernel's,
/// for the hint.
void require_fit(const Machine& machine, const std::string& backend, const Texts& backends);
/// "host: 2 cores of Intel Xeon (AVX-512)", for messages.
std::string this_host();
/// A machine without ceilings, from the system's report: for checks before any probe.
Machine unprobed_host();

}  // namespace rooftune::study
