#include "probe/rounds.h"

#include <fmt/format.h>

#include "core/file.h"

namespace rooftune::probe {

Ceiling measured(Ceiling ceiling, const Samples& samples, const std::string& how,
                 const std::string& fault) {
  ceiling.rate = samples.estimate();
  ceiling.samples = samples.best();
  ceiling.clock = samples.clock();
  ceiling.stable = samples.reproduced() && fault.empty();
  ceiling.shown_only = !fault.empty();
  ceiling.source.kind = Source::Kind::measured;
  ceiling.source.text = how;
  if (!samples.reproduced())
    ceiling.source.text += "; its best windows disagree: the machine moved";
  else if (samples.clock_moved())
    ceiling.source.text += "; the three best windows agree in cycles, their clocks differ";
  if (samples.dropped() > 0)
    ceiling.source.text +=
        fmt::format("; {} lone windows, faster by 10 % and more, were left out", samples.dropped());
  if (!fault.empty()) ceiling.source.text += "; " + fault;
  ceiling.source.date = utc_now();
  return ceiling;
}

}  // namespace rooftune::probe
