// The choice among the variants of an exported library: by the machine, the facts of the data, and
// what the application promises.
// SPDX-License-Identifier: MIT-0
#pragma once
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>

namespace rooftune_library {

/// A variant timed within so many times of each fact goes before one on a more similar machine.
constexpr double close_facts = 8;
/// Within so many times of each fact a variant counts as timed there, and a race as held there.
constexpr double same_facts = 1.1;

/// Between two positive numbers.
inline double doublings(double one, double other) { return std::abs(std::log2(one / other)); }

/// Between facts, in doublings: all, and of the one farthest away. Infinite from or to zero.
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
inline bool is_same(const Distance& one) { return one.most <= std::log2(same_facts); }

/// What a choice is made for.
struct Asked {
  const char *library, *environment;  ///< its name, and the variable that names a variant
  const char* const* names;           ///< of the facts
  const double* facts;                ///< the inspector's, and the sizes
  int count;
  unsigned promises;
};

/// "v1"; where it was timed with other facts: "v1, timed at n = 1000".
template <class Variant>
void describe(const Variant& variant, const Asked& asked, char* text, std::size_t size) {
  int used = std::snprintf(text, size, "%s", variant.name);
  if (!variant.facts || is_same(distance(variant.facts, asked.facts, asked.count))) return;
  for (int i = 0; i < asked.count && used >= 0 && static_cast<std::size_t>(used) < size; ++i)
    used += std::snprintf(text + used, size - static_cast<std::size_t>(used), "%s%s = %.10g",
                          i == 0 ? ", timed at " : ", ", asked.names[i], variant.facts[i]);
}

/// Says on stderr what was chosen for what, where ROOFTUNE_VERBOSE is set: once for each of the
/// library's choices. `how`: a remark behind it.
inline void tell(const char* what, const char* how, const Asked& asked, std::atomic<bool>& told) {
  const char* const verbose = std::getenv("ROOFTUNE_VERBOSE");
  if (!verbose || !*verbose || told.exchange(true)) return;
  std::fprintf(stderr, "%s: %s%s", asked.library, what, asked.count > 0 ? ", for " : "");
  for (int i = 0; i < asked.count; ++i)
    std::fprintf(stderr, "%s%s = %.10g", i == 0 ? "" : ", ", asked.names[i], asked.facts[i]);
  std::fprintf(stderr, "%s\n", how);
}

/// The results of the variant are right here. `runs_here(variant)` tells whether it can run at all.
template <class Variant, class Arguments, class RunsHere>
bool is_right(const Variant& one, const Arguments& arguments, const Asked& asked,
              const RunsHere& runs_here) {
  return runs_here(one) && one.fits(arguments) && (one.promises & ~asked.promises) == 0;
}

/// The place of a choice, and why it is one.
struct Choice {
  int place;
  enum class Reason { named, nearest, none } reason;
  double machine;  ///< how far away the machine is where it was timed
};

/// The variant that was timed on the machine and the problem most like these, at any distance; the
/// last right one without facts, the untuned form, where no other is. The variable
/// `asked.environment` names one that is taken before all as long as it gives right results here.
/// `machine(variant)` tells how far away the machine is where it was timed; negative: too far.
template <class Variant, class Arguments, class RunsHere, class Machine>
Choice nearest(const Variant* const* variants, int count, const Arguments& arguments,
               const Asked& asked, const RunsHere& runs_here, const Machine& machine) {
  const char* const wish = std::getenv(asked.environment);
  Choice best{count - 1, Choice::Reason::none, 0};
  std::tuple<bool, double, double> best_rank;
  for (int i = 0; i < count; ++i) {
    const Variant& one = *variants[i];
    if (!is_right(one, arguments, asked, runs_here)) continue;
    if (wish && std::strcmp(wish, one.name) == 0) return {i, Choice::Reason::named, 0};
    if (!one.facts) {
      if (best.reason == Choice::Reason::none) best.place = i;
      continue;
    }
    const double away = machine(one);
    const Distance problem = distance(one.facts, asked.facts, asked.count);
    if (away < 0 || !(problem.sum < HUGE_VAL)) continue;
    const std::tuple rank{problem.most > std::log2(close_facts), away, problem.sum};
    if (best.reason == Choice::Reason::nearest && !(rank < best_rank)) continue;
    best = {i, Choice::Reason::nearest, away};
    best_rank = rank;
  }
  return best;
}

}  // namespace rooftune_library
