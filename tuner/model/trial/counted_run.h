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
  static void fields(auto& self, auto& visit) {
    visit("configuration", self.configuration)("provider", self.provider);
    visit.defaulted("seconds", self.seconds).sparse("counts", self.counts);
    visit.sparse("absent_because", self.absent_because).open();
  }
};

}  // namespace rooftune::trial
