// The other nodes in the Slurm allocation that `tune` runs in, at work on its study. On each node
// `srun` starts the same command once more, and it tries what it is told; each request and each
// trial is a JSON line.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "core/callback.h"
#include "core/list.h"
#include "study/nodes.h"
#include "study/spec.h"

namespace rooftune::host {

/// The other nodes that this spec asks for. Throws Error (ExitCode::unavailable) outside a Slurm
/// allocation, or in one with too few nodes.
Texts other_nodes_of(const StudySpec& spec);
/// Starts the other nodes; nullptr where the spec asks for none. Throws Error.
std::unique_ptr<OtherNodes> slurm_nodes(const StudySpec& spec, const StudyHeader& header);

/// Whether this process was started by slurm_nodes().
bool is_other_node();
/// Works as one of them until told to end; returns the exit code. Faults go to the study; `say`
/// takes what it waits for.
int serve_as_other_node(const StudySpec& spec, const TextCallback& say);

}  // namespace rooftune::host
