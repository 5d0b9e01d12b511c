// Common part of the probes of the host and of a card: going round their subjects, and making a
// ceiling of a subject's windows. Subjects have settled(), visits, samples. The caller binds
// subjects to exercises and visits them.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/error.h"
#include "probe/clock.h"
#include "probe/samples.h"
#include "roofline/machine.h"

namespace rooftune::probe {

struct Rounds {
  double deadline;          ///< of clock.h's now()
  std::size_t least_turns;  ///< taken before the deadline counts, of all subjects together
  int enough_visits;        ///< of a subject, before a lone best window is left out
  std::function<void()> tick;
  std::function<bool()> interrupted;
};

/// Visits the subjects in turn, settled ones rarely, until the deadline or until all are settled.
/// Throws Error (code interrupted) when `interrupted` says so.
template <class Subject, class Visit>
void go_round(const std::vector<Subject*>& subjects, const Rounds& rounds, const Visit& visit) {
  constexpr int rare = 4;
  std::size_t turn = 0;
  for (std::size_t round = 0;; ++round) {
    bool all_settled = round > 0;
    for (std::size_t i = 0; i < subjects.size(); ++i, ++turn) {
      Subject& subject = *subjects[i];
      if (rounds.interrupted && rounds.interrupted())
        throw Error("interrupted; no machine file was written", "probe", {}, ExitCode::interrupted);
      if (turn >= rounds.least_turns && now() >= rounds.deadline) return;
      if (subject.settled() && (round + i) % rare != 0) continue;
      visit(subject);
      if (subject.visits >= rounds.enough_visits) subject.samples.drop_lone_best();
      all_settled = all_settled && subject.settled();
      if (rounds.tick) rounds.tick();
    }
    if (all_settled) return;
  }
}

/// The ceiling with rate, samples, clock, stability and source filled in. `how`: the measurement
/// and its windows; `fault`: why it is impossible, empty for none; a ceiling with a fault is shown
/// only.
Ceiling measured(Ceiling ceiling, const Samples& samples, const std::string& how,
                 const std::string& fault);

}  // namespace rooftune::probe
