// One counting run: a launch of its own of an already timed configuration, or the reason for none.
// Never part of a trial: counting disturbs the time.
#pragma once
#include <string>
#include <vector>

#include "roofline/counts.h"
#include "space/configuration.h"

namespace rooftune::trial {

struct CountedRun {
  Configuration configuration;
  std::string provider;          ///< name in the table of providers
  std::optional<Counts> counts;  ///< per call
  std::string absent_because;    ///< said when `counts` is absent
  double seconds = 0;            ///< cost: build, warm-up, counted calls [s]
};

Json to_json(const CountedRun& run);
/// Throws Error for anything malformed.
CountedRun counted_run_from_json(const Json& json, const std::string& where);

/// The body of a "counts" record: {"runs": [...]}.
Json to_json(const std::vector<CountedRun>& runs);
std::vector<CountedRun> counted_runs_from_json(const Json& json, const std::string& where);

}  // namespace rooftune::trial
