// The ceiling meant for a kernel out of a machine's lattice: chosen by the kernel's operations, not
// by where its time happens to lie.
#pragma once
#include <string>
#include <vector>

#include "roofline/roofline.h"

namespace rooftune::roofline {

/// A ceiling, and why this one.
struct Applicable {
  const Ceiling* ceiling = nullptr;  ///< belongs to the machine
  Seconds time{0};                   ///< least work or traffic at its rate
  std::vector<std::string> because;  ///< one reason per property that chose it
};

/// For each precision with work and each level with traffic the ceiling of the kernel's own mix
/// (precision, share of fused multiply-adds, share of bytes read, in place or not, unit stride, as
/// many threads, nearest working set), slowest first: the first one applies. Unlike the bound's it
/// may be slower than another mix would be. `variant`: with its own number of threads. `fma_share`:
/// of its flops those in fused multiply-adds, where counted.
std::vector<Applicable> applicable_ceilings(const Roofline& variant,
                                            std::optional<double> fma_share);
std::vector<Applicable> applicable_ceilings(Roofline&&, std::optional<double>) = delete;

}  // namespace rooftune::roofline
