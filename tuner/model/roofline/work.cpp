#include "roofline/work.h"

namespace rooftune::roofline {

const Texts& operation_kinds() {
  static const Texts kinds{"add", "mul", "div", "sqrt"};
  return kinds;
}

bool Traffic::in_place() const {
  constexpr double rounding = 1e-9;
  return footprint < (read + write) * (1 - rounding);
}

double Traffic::share_read() const {
  return (read + write).value() > 0 ? read / (read + write) : 1;
}

}  // namespace rooftune::roofline
