// Other nodes of the allocation of Slurm that `tune` runs in, at work on its study: on each `srun`
// starts the same command once more, which tries what it is told, one JSON line for each request
// and each trial.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "core/list.h"
#include "study/nodes.h"
#include "study/spec.h"

namespace rooftune::host {

/// The other nodes that a study of this spec asks for. Throws Error (ExitCode::unavailable) where
/// this is no node of an allocation of so many.
Texts other_nodes_of(const StudySpec& spec);
/// Starts them; nullptr where the spec asks for none. Throws Error.
std::unique_ptr<OtherNodes> slurm_nodes(const StudySpec& spec, const StudyHeader& header);

/// Whether this process was started by slurm_nodes().
bool is_other_node();
/// Its work, until it is told to end; the exit code. Faults go to the study; `say` takes what it
/// waits for.
int serve_as_other_node(const StudySpec& spec, const std::function<void(const std::string&)>& say);

}  // namespace rooftune::host
