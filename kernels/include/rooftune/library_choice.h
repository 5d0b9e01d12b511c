// The choice among the variants of an exported library: by the machine, the sizes of the data, and
// what the application promises.
#pragma once
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>

namespace rooftune_library {

/// A variant timed within so many times of each size goes before one on a more similar machine.
constexpr double close_sizes = 8;
/// Within so many times of each size a variant counts as timed there.
constexpr double same_sizes = 2;

/// Between two positive numbers.
inline double doublings(double one, double other) { return std::abs(std::log2(one / other)); }

/// Between sizes, in doublings: all, and of the one farthest away. Infinite from or to zero.
struct Distance {
  double sum = 0, most = 0;
};
inline Distance distance(const double* tuned, const double* asked, int count) {
  Distance all;
  for (int i = 0; i < count; ++i) {
    if (tuned[i] == asked[i]) continue;
    if (!(tuned[i] > 0 && asked[i] > 0)) return {HUGE_VAL, HUGE_VAL};
    const double away = doublings(asked[i], tuned[i]);
    all.sum += away;
    if (away > all.most) all.most = away;
  }
  return all;
}

/// What a choice is made for.
struct Asked {
  const char *library, *environment;  ///< its name, and the variable that names a variant
  const char* const* names;           ///< of the sizes
  const double* sizes;
  int count;
  unsigned promises;
};

/// "v1"; where it was timed at other sizes: "v1, timed at n = 1000".
template <class Variant>
void describe(const Variant& variant, const Asked& asked, char* text, std::size_t size) {
  int used = std::snprintf(text, size, "%s", variant.name);
  if (!variant.sizes ||
      !(distance(variant.sizes, asked.sizes, asked.count).most > std::log2(same_sizes)))
    return;
  for (int i = 0; i < asked.count && used >= 0 && static_cast<std::size_t>(used) < size; ++i)
    used += std::snprintf(text + used, size - static_cast<std::size_t>(used), "%s%s = %.0f",
                          i == 0 ? ", timed at " : ", ", asked.names[i], variant.sizes[i]);
}

/// Says on stderr what was chosen for what, where ROOFTUNE_VERBOSE is set: once for each of the
/// library's choices. `none`: no variant is right here.
template <class Variant>
void tell(const Variant& variant, bool none, const Asked& asked, std::atomic<bool>& told) {
  const char* const verbose = std::getenv("ROOFTUNE_VERBOSE");
  if (!verbose || !*verbose || told.exchange(true)) return;
  char text[256];
  describe(variant, asked, text, sizeof text);
  std::fprintf(stderr, "%s: %s%s", asked.library, text, asked.count > 0 ? ", for " : "");
  for (int i = 0; i < asked.count; ++i)
    std::fprintf(stderr, "%s%s = %.0f", i == 0 ? "" : ", ", asked.names[i], asked.sizes[i]);
  std::fprintf(stderr, "%s\n",
               none ? ": no other is right for this machine, these arguments and promises" : "");
}

/// The variant that was timed on the machine and the problem most like these, at any distance; the
/// last one, which is right everywhere, where no other is. The variable `asked.environment` names
/// one that is taken before all as long as it gives right results here. `runs_here(variant)` tells
/// whether it can run at all, `machine(variant)` how far away the machine is where it was timed;
/// negative: too far. `told` has an entry for each variant.
template <class Variant, class Arguments, class RunsHere, class Machine>
const Variant& chosen(const Variant* const* variants, int count, const Arguments& arguments,
                      const Asked& asked, std::atomic<bool>* told, const RunsHere& runs_here,
                      const Machine& machine) {
  const char* const wish = std::getenv(asked.environment);
  int best = -1;
  std::tuple<bool, double, double> best_rank;
  for (int i = 0; i < count; ++i) {
    const Variant& one = *variants[i];
    if (!runs_here(one) || !one.fits(arguments) || (one.promises & ~asked.promises) != 0) continue;
    if (wish && std::strcmp(wish, one.name) == 0) {
      best = i;
      break;
    }
    if (!one.sizes) continue;
    const double away = machine(one);
    const Distance problem = distance(one.sizes, asked.sizes, asked.count);
    if (away < 0 || !(problem.sum < HUGE_VAL)) continue;
    const std::tuple rank{problem.most > std::log2(close_sizes), away, problem.sum};
    if (best >= 0 && !(rank < best_rank)) continue;
    best = i;
    best_rank = rank;
  }
  const bool none = best < 0;
  if (none) best = count - 1;
  tell(*variants[best], none, asked, told[best]);
  return *variants[best];
}

}  // namespace rooftune_library
