// The choice among the variants of an exported library: by the machine, the sizes of the data, and
// what the application promises.
#pragma once
#include <cmath>
#include <cstring>

namespace rooftune_library {

/// How far from where it was timed a variant is still taken: this many times in each size.
constexpr double farthest = 8;

/// Between two positive numbers.
inline double doublings(double one, double other) { return std::abs(std::log2(one / other)); }

/// Doublings between the sizes, summed; negative where one is too far.
inline double distance(const double* tuned, const double* asked, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    if (tuned[i] == asked[i]) continue;
    if (!(tuned[i] > 0 && asked[i] > 0)) return -1;
    const double away = doublings(asked[i], tuned[i]);
    if (away > std::log2(farthest)) return -1;
    sum += away;
  }
  return sum;
}

/// The variant that was timed on the machine and the problem most like these; the last one, which
/// runs everywhere, where none fits. `wish` names one that is taken whatever it was timed for, as
/// long as it gives right results here. `runs_here(variant)` tells whether it can run at all,
/// `machine(variant)` how far away the machine is where it was timed; negative: too far.
template <class Variant, class Arguments, class RunsHere, class Machine>
const Variant& chosen(const Variant* const* variants, int count, const Arguments& arguments,
                      const double* sizes, int size_count, unsigned promises, const char* wish,
                      const RunsHere& runs_here, const Machine& machine) {
  const Variant* best = variants[count - 1];
  double best_machine = 0, best_problem = 0;
  bool found = false;
  for (int i = 0; i < count; ++i) {
    const Variant& one = *variants[i];
    if (!runs_here(one) || !one.fits(arguments) || (one.promises & ~promises) != 0) continue;
    if (wish && std::strcmp(wish, one.name) == 0) return one;
    if (!one.sizes) continue;
    const double away = machine(one), problem = distance(one.sizes, sizes, size_count);
    if (away < 0 || problem < 0) continue;
    if (found && (away > best_machine || (away == best_machine && problem >= best_problem)))
      continue;
    found = true;
    best = &one;
    best_machine = away;
    best_problem = problem;
  }
  return *best;
}

}  // namespace rooftune_library
