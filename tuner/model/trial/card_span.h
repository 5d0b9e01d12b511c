// How a card fared while it was timed, by its vendor's library.
#pragma once
#include <optional>

#include "core/fields.h"
#include "core/list.h"

namespace rooftune::trial {

/// Absent and empty members are not known, or there was nothing.
struct CardSpan {
  std::optional<double> clock;       ///< its multiprocessors', at the end [Hz]
  std::optional<double> most_clock;  ///< the highest they can run at [Hz]
  /// By reason (its power limit, heat or hardware): for which share of the time it kept that clock
  /// down.
  NamedNumbers slowed;
  Texts slowing;  ///< the reasons that did so at the end
  Texts others;   ///< other processes with work on it: "python (pid 71)"
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit.sparse, self, clock, most_clock, slowed, slowing, others);
    visit.open();
  }
};

/// Why its times may be wrong: heat, a hardware brake, other processes. Says nothing where less
/// than a twentieth of the time, and of the clock, was lost.
Texts card_doubts(const CardSpan& span);
/// Tells about its power limit, which is the card's own: the times are right, at a lower clock.
Texts card_notes(const CardSpan& span);

}  // namespace rooftune::trial
