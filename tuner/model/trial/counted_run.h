// One counting run: a launch of its own of an already timed configuration, or the reason for none.
// Never part of a trial: counting disturbs the time.
#pragma once
#include <string>
#include <vector>

#include "roofline/counts.h"
#include "roofline/launch_time.h"
#include "space/configuration.h"

namespace rooftune::trial {

/// CountedRun::provider of what was read from compiled code, without a call.
inline constexpr const char* compiled_code = "compiled code";

struct CountedRun {
  Configuration configuration;
  std::string provider;                ///< name in the table of providers
  std::optional<Counts> counts;        ///< per call
  std::string absent_because;          ///< said when `counts` is absent
  double seconds = 0;                  ///< cost: build, warm-up, counted calls [s]
  std::optional<CallTime> reach = {};  ///< of compiled_code
  static void fields(auto& self, auto& visit) {
    visit("configuration", self.configuration)("provider", self.provider);
    visit.defaulted("seconds", self.seconds).sparse("counts", self.counts);
    visit.sparse("absent_because", self.absent_because).sparse("reach", self.reach).open();
  }
};

}  // namespace rooftune::trial
