#include "search/usual_gain.h"

#include <algorithm>
#include <cmath>

#include "core/list.h"

namespace rooftune::search {
namespace {

double usual_gain(Paradigm paradigm) {
  using enum Paradigm;
  switch (paradigm) {
    case simd:
      return 1.4;
    case work:
    case tlp:
      return 0.7;
    case compulsory:
    case capacity:
      return 0.4;
    case ilp:
    case write_allocate:
    case nt_store:
      return 0.2;
    default:
      return 0;
  }
}

/// By value: from 0 to 1 at the value that is expected to bring the most. Empty where values have
/// no known direction.
Numbers ranks(const Knob& knob) {
  const size_t n = knob.values.size(), fallback = knob.index_of(knob.fallback);
  if (n < 2 || fallback >= n || contains(knob.breaks, Paradigm::unit_stride)) return {};
  Numbers order(n);
  const bool numbers =
      all_of(knob.values, [](const Value& value) { return value.is_number() && !value.is_bool(); });
  const bool settings = knob.kind == Knob::Kind::openmp || knob.kind == Knob::Kind::environment;
  if (numbers || settings) {
    const bool threads = knob.setting == threads_setting;
    if (!numbers || !(threads || contains(knob.breaks, Paradigm::simd))) return {};
    for (const size_t v : indices(order)) order[v] = std::log2(1 + knob.values[v].real());
    const double least = *min_element(order);
    for (double& value : order) value -= least;
  } else {
    for (const size_t v : indices(order)) order[v] = double(v < fallback ? v + 1 : v);
    order[fallback] = 0;
  }
  const double most = *max_element(order);
  if (!(most > 0)) return {};
  for (double& value : order) value /= most;
  return order;
}

}  // namespace

double usual_gain(const Knob& knob) {
  double sum = 0;
  for (const Paradigm paradigm : knob.breaks) sum += usual_gain(paradigm);
  return knob.breaks.empty() ? 0 : sum / double(knob.breaks.size());
}

Expected expected_of_declarations(const SearchSpace& space) {
  /// A guess counts for less than it says.
  constexpr double weight = 0.5;
  NumberRows slower(space.knobs().size());  // by knob and value
  bool any = false;
  for (const size_t k : indices(slower)) {
    const Knob& knob = space.knobs()[k];
    const double gain = weight * usual_gain(knob);
    if (!(gain > 0)) continue;
    slower[k] = ranks(knob);
    for (double& value : slower[k]) value = gain * (1 - value);
    if (slower[k].empty()) continue;
    any = true;
    // Switched off, a knob is at its default, too, and nothing is known about what stands in its
    // place.
    if (!knob.active.empty()) slower[k][knob.index_of(knob.fallback)] = gain / 2;
  }
  if (!any) return {};
  return [slower = std::move(slower)](const Assignment& point) {
    double sum = 0;
    for (const size_t k : indices(slower))
      if (!slower[k].empty()) sum += slower[k][point[k]];
    return sum;
  };
}

}  // namespace rooftune::search
