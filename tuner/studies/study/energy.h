// Whether a study can rank by energy.
#pragma once
#include "study/platform.h"
#include "study/prepare.h"

namespace rooftune::study {

/// Needs spec, kernel and back end of the study. Throws Error for what energy cannot be ranked by
/// (several inputs, cold caches, conversions that are shared, a CPU), and, where the study is not
/// only `planned`, for a card that counts none (ExitCode::unavailable).
void require_energy(const PreparedStudy& study, Platform& platform, bool planned);
/// The same as far as the spec alone tells it, before anything is probed or read.
void require_energy(const StudySpec& spec);

}  // namespace rooftune::study
