// Conditions for a ranking by energy.
#pragma once
#include "study/platform.h"
#include "study/prepare.h"

namespace rooftune::study {

/// Needs spec, kernel and back end of the study. Throws Error for a study that energy cannot rank
/// (several inputs, cold caches, shared conversions, a CPU), and, unless the study is only
/// `planned`, for a card without an energy counter (ExitCode::unavailable).
void require_energy(const PreparedStudy& study, Platform& platform, bool planned);
/// The same from the spec alone, before probing or reading.
void require_energy(const StudySpec& spec);

}  // namespace rooftune::study
