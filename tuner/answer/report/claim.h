// What an answer says, as values: a kind, what it is about, its figures with their units, and what
// puts them in doubt. A row for each kind, in claim.cpp, has the words; terminal, page, JSON,
// Python and nights print these.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/fields.h"
#include "core/json.h"
#include "core/list.h"
#include "core/quantity.h"
#include "report/text_table.h"

namespace rooftune::report {

struct Figure {
  Estimate value;
  std::string unit;  ///< "s", "x" (a ratio), "%", "B", "flop", or a program's own
  static void fields(auto& self, auto& visit) {
    Estimate::fields(self.value, visit);
    ROOFTUNE_FIELD(unit);
  }
};

struct Claim {
  ROOFTUNE_NESTED_ENUM(
      Kind,
      // The headline begins with a claim from here ...
      faster,         ///< gain, time
      baseline_best,  ///< time: nothing beats it
      undecided,      ///< time, perhaps gain: best and baseline cannot be told apart
      no_gain,        ///< time: nothing to compare with
      not_measured,   ///< no configuration ran
      // ... goes on with this claim, where it holds,
      broke,  ///< evidence: each ceiling that a change broke through, with the change
      // ... and ends with a claim from here, where something was measured.
      at_limit,    ///< busy, amount, perhaps least: a part of the machine is the limit
      waits,       ///< busy (the busiest part), share, perhaps each: one cause
      below,       ///< busy: no part is near its limit, and no cause was counted
      bounded,     ///< at_most: not counted; only the bound is known
      no_bound,    ///< nothing says how fast it could be
      above_roof,  ///< ratio: faster than the bound
      // The staircase's last row.
      more,  ///< at_most, time, perhaps least, least_time
      // Lines below the staircase.
      no_steps,    ///< why no staircase was measured
      shortened,   ///< why steps were joined
      busy,        ///< a share for each part
      next_tried,  ///< a gain for each value that was tried beside the winner
      next_other,  ///< another code might help; evidence: the step that does least
      next_none,   ///< what was tried beside the winner gained nothing
      stop,        ///< why more time brings nothing
      go_on,       ///< tried, size, best, trials; evidence: what more time would decide
      conversion,  ///< time, calls, perhaps pays_off
      beware,      ///< what was found about the best beside its time
      failed       ///< failed, tried
  )
  Kind kind = Kind::not_measured;
  std::string subject = {};  ///< a kernel, a part of the machine, a reason
  ByName<Figure> figures = {};
  Texts evidence = {};  ///< names behind it: knobs, reasons
  Texts doubts = {};    ///< why it may be wrong, a sentence each
  bool has(const char* figure) const { return figures.contains(figure); }
  /// The named figure's. Throws std::out_of_range without it.
  double value_of(const char* figure) const { return figures.at(figure).value.value; }
};
using Claims = std::vector<Claim>;

/// Whether a part that is so busy [%] can give no more: it works at its full rate, and not beyond
/// the rate that was measured.
bool is_at_full_rate(double busy);
/// The claim's words, without a full stop: "spmv is 3.21x faster than your baseline [2.94, 3.58]".
std::string words_of(const Claim& claim);
/// The name of the claim's line: "busy", "next"; empty for a sentence in the headline and for
/// `more`.
std::string label_of(const Claim& claim);
/// Its entry in the glossary; empty without one.
std::string glossary_word(const Claim& claim);
/// Green for a gain, yellow for an answer that is open.
Ink ink_of(const Claim& claim);
/// "Memory", "L2", "Arithmetic", "The divider": what a part of the machine is called, at the start
/// of a sentence or within it.
std::string part_name(const std::string& part, bool begins = false);

/// {"kind", "about", "subject", "figures": {NAME: {"value", "low", "high", "unit"}}, "evidence",
/// "doubts", "text"}
Json to_json(const Claim& claim);

}  // namespace rooftune::report
