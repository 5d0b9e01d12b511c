// Times that a card's model expects for compiled code, before any code runs.
#pragma once
#include <vector>

#include "study/prepare.h"

namespace rooftune::study {

/// A search over times that the machine's model expects for compiled code; nothing runs. It asks
/// for the baseline, `first` and what the strategy proposes, `most` at most, and begins no batch
/// after so many seconds. Answers in the order asked; 0 seconds where no time can be told. Empty
/// where the study is not on a card, or has several inputs. Throws Interrupted.
ModelledTimes modelled(PreparedStudy& study, const Configurations& first, size_t most,
                       double seconds);

}  // namespace rooftune::study
