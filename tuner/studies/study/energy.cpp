// Conditions for a ranking by energy.
#include <fmt/format.h>

#include "core/error.h"
#include "study/machines.h"
#include "study/prepare.h"

namespace rooftune::study {
namespace {

[[noreturn]] void refuse(const std::string& reason, const std::string& cure,
                         ExitCode code = ExitCode::usage) {
  throw Error(reason, "--objective energy", cure, code);
}

void refuse_backend(const std::string& name) {
  refuse(
      fmt::format("energy is counted on NVIDIA cards, for the back end cuda, and this is {}", name),
      "leave it out to rank by time; or --backend cuda with --machine auto");
}

}  // namespace

void require_energy(const StudySpec& spec) {
  if (!spec.by_energy()) return;
  if (spec.machine == host_machine) refuse_backend("the CPU of this computer");
  if (spec.inputs.size() > 1)
    refuse("the energy of several inputs is not weighed",
           "give one --problem; mean and minimax weigh the times of several");
  if (spec.amortize > 0)
    refuse("the energy of conversions is not counted, so that none can be shared among calls",
           "leave out --amortize");
}

void require_energy(const PreparedStudy& study, Platform& platform, bool planned) {
  const StudySpec& spec = study.spec;
  require_energy(spec);
  if (!spec.by_energy()) return;
  if (!study.backend.needs_gpu_compiler()) refuse_backend("of " + study.backend.name);
  if (!study.kernel.warm)
    refuse("energy is counted over calls back to back, so that caches are warm", "--cache warm");
  if (planned) return;
  if (const std::string reason = platform.why_no_energy(spec.card); !reason.empty())
    refuse(reason, "use a card whose energy is counted, or leave it out to rank by time",
           ExitCode::unavailable);
}

}  // namespace rooftune::study
