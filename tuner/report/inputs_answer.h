// What a study of several inputs found: one configuration for all, how it stands on each, and what
// a configuration of its own would gain each of them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/estimate.h"
#include "core/json.h"
#include "roofline/roofline.h"
#include "space/configuration.h"
#include "space/knob.h"
#include "trial/objective.h"

namespace rooftune {

struct TerminalStyle;
class Markup;

/// The common configuration on one input.
struct InputRow {
  std::string name;  ///< as the user gave it: "n=1000"
  Facts problem;     ///< parameters, as chosen or defaulted
  Bound bound;
  std::optional<Estimate> baseline, best;  ///< [s] per call; absent: it did not run
  std::optional<Estimate> speedup;         ///< baseline / best, paired
  std::optional<Configuration> own;        ///< measured fastest on this input alone
  std::optional<Estimate> gain;            ///< best / own, paired; exactly 1 when they are the same
  std::string no_gain_because;             ///< said when `gain` is absent
};

struct InputsAnswer {
  Objective::Aim aim = Objective::Aim::mean;
  std::vector<InputRow> rows;
  std::optional<Estimate> gap, baseline_gap;  ///< of the objective
  std::optional<Estimate> speedup;            ///< of the objective, paired
  std::optional<Estimate> gain;  ///< of the objective when every input takes its own, paired
  std::size_t shown = 0;         ///< the row that the rest of the report is about
};

/// "One configuration for 3 inputs: 1.83x [1.80, 1.86] faster than the baseline ..."
std::string inputs_sentence(const InputsAnswer& answer);
/// What a choice per input would gain, in words.
std::string gain_sentence(const InputsAnswer& answer);
/// A table for the terminal: a line per input.
std::string inputs_table(const InputsAnswer& answer, const TerminalStyle& style);
/// The section of a page. `common`: the configuration of all.
void inputs_section(Markup& page, const InputsAnswer& answer, const Configuration& common);
Json to_json(const InputsAnswer& answer);

}  // namespace rooftune
