// Times that a card's model expects of compiled code, before any of it runs.
#pragma once
#include <vector>

#include "study/prepare.h"

namespace rooftune::study {

/// A search through the times that the machine's model expects of compiled code, of which none
/// runs: the baseline, `first` and what the strategy proposes, `most` at most, and no more batches
/// after so many seconds. In the order asked; 0 seconds where no time can be told. Empty off cards
/// and of several inputs. Throws Interrupted.
std::vector<Modelled> modelled(PreparedStudy& study, const Configurations& first, size_t most,
                               double seconds);

}  // namespace rooftune::study
