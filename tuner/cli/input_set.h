// The inputs that one configuration is tuned for: usually one; with --problem several times several
// and an objective over them.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/study.h"
#include "search/strategy.h"
#include "search/pruning.h"
#include "trial/many_inputs.h"
#include "trial/specialisation.h"

namespace rooftune {

struct InputSet {
  std::vector<std::unique_ptr<ReadyStudy>> inputs;  ///< at least one, in the order of the user
  std::vector<StudyOptions> made_from;              ///< of each, what it was asked for
  std::vector<std::string> names;                   ///< "n=1000"
  std::optional<Objective> objective;               ///< of several inputs
  StudyHeader header;                               ///< of the study as a whole
  double bound = 0;  ///< [s] of the input; of several the geometric mean

  ReadyStudy& first() { return *inputs.front(); }
  const ReadyStudy& first() const { return *inputs.front(); }
};

/// Reads and checks everything as ready_study does, per input. Throws Error for an objective with
/// one input, for inputs that are the same, and for inputs without a common search space; that one
/// becomes the space of each.
InputSet ready_inputs(const StudyOptions& options, const std::string& objective,
                      bool elsewhere = false);

/// The evaluator of all inputs; `history` is that of the study. Both must outlive it.
std::unique_ptr<Evaluator> evaluator_of(const InputSet& set, const History& history);

/// What is known before the first trial: paradigms that bind for any input.
Knowledge known_of(const InputSet& set);
/// Times of the objective that configurations cannot beat; the set must outlive it.
LeastTimeOf least_times(const InputSet& set);
/// What the records keep of the study.
Json setup_record(const InputSet& set, const std::vector<std::string>& argv);

}  // namespace rooftune
