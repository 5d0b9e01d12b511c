#include "study/schedule.h"

#include <algorithm>
#include <cmath>

#include "core/seconds_since.h"

namespace rooftune::study {
namespace {

struct Share {
  double end;   ///< elapsed share of the wall time at the part's end
  double free;  ///< time without a limit of wall time [s]
};

Share share_of(Part part) {
  switch (part) {
    case Part::race:
      return {0.8, 10};
    case Part::ablation:
      return {0.9, 20};
    case Part::experiments:
      return {0.95, 15};
    case Part::counts:
      break;
  }
  return {1, 10};
}

}  // namespace

double Schedule::elapsed() const { return earlier_ + seconds_since(begin_); }

double Schedule::share() const {
  return wall_ ? std::clamp(elapsed() / wall_->value(), 0.0, 1.0) : 0;
}

double Schedule::left(double reserved) const {
  return wall_ ? wall_->value() - reserved - elapsed() : HUGE_VAL;
}

double Schedule::left_for(Part part) const {
  const Share share = share_of(part);
  return wall_ ? std::max(0.0, left((1 - share.end) * wall_->value())) : share.free;
}

}  // namespace rooftune::study
