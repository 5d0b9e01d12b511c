#include "search/staircase.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "core/list.h"
#include "search/forecast.h"
#include "search/usual_gain.h"
#include "space/knob.h"

namespace rooftune::search {
namespace {

/// Steps with less expected gain are joined.
constexpr double small_step = 0.02;

/// `from` with these knobs at their values in `to`; nullopt where that is not allowed, or where any
/// of them would fall back.
std::optional<Configuration> moved(const SearchSpace& space, const Configuration& from,
                                   const Configuration& to, const Texts& knobs) {
  Configuration next = from;
  for (const std::string& knob : knobs) next.set(knob, to.at(knob));
  next = space.normalised(std::move(next));
  const bool stays =
      all_of(knobs, [&](const std::string& knob) { return next.at(knob) == to.at(knob); });
  if (!stays || !space.allowed(next)) return std::nullopt;
  return next;
}

/// The fewest knobs from `open`, the first included, that can move together: alone, with one other,
/// or with all from which as many as possible were left out again.
Texts movable(const SearchSpace& space, const Configuration& from, const Configuration& to,
              const Texts& open) {
  const auto can = [&](const Texts& knobs) { return moved(space, from, to, knobs).has_value(); };
  Texts group{open.front()};
  if (can(group)) return group;
  for (size_t i = 1; i < open.size(); ++i)
    if (can({open.front(), open[i]})) return {open.front(), open[i]};
  group = open;
  for (size_t i = group.size(); i-- > 1;) {
    Texts fewer = group;
    fewer.erase(fewer.begin() + ptrdiff_t(i));
    if (can(fewer)) group = std::move(fewer);
  }
  return group;
}

}  // namespace

KnobGains changed_knobs(const SearchSpace& space, const History& history,
                        const Configuration& baseline, const Configuration& winner) {
  KnobGains changed;
  // The winner without each knob and the baseline with it, as far as they are allowed.
  Configurations asked{baseline, winner};
  struct Place {
    std::optional<size_t> without, with;
  };
  std::vector<Place> places;
  for (const Knob& knob : space.knobs()) {
    if (baseline.at(knob.name) == winner.at(knob.name)) continue;
    changed.push_back({knob.name, 0});
    const auto ask = [&](const std::optional<Configuration>& one) -> std::optional<size_t> {
      if (!one) return std::nullopt;
      asked.push_back(*one);
      return asked.size() - 1;
    };
    places.push_back({ask(moved(space, winner, baseline, {knob.name})),
                      ask(moved(space, baseline, winner, {knob.name}))});
  }
  const Numbers logarithms = expected_logarithms(space, history, asked);
  if (logarithms.empty()) return changed;
  for (const size_t i : indices(changed)) {
    double sum = 0, count = 0;
    if (places[i].without) sum += logarithms[*places[i].without] - logarithms[1], ++count;
    if (places[i].with) sum += logarithms[0] - logarithms[*places[i].with], ++count;
    if (count > 0) changed[i].gain = sum / count;
  }
  constexpr double weight = 0.5;
  stable_sort(changed, std::greater(), [&](const KnobGain& one) {
    return one.gain + weight * usual_gain(*space.knob(one.name));
  });
  return changed;
}

Configurations planned_stairs(const SearchSpace& space, const KnobGains& changed,
                              const Configuration& baseline, const Configuration& winner,
                              size_t most) {
  Configurations stairs{baseline};
  Numbers gains{0};
  while (stairs.back() != winner) {
    Texts open;
    for (const KnobGain& knob : changed)
      if (stairs.back().at(knob.name) != winner.at(knob.name)) open.push_back(knob.name);
    // A knob outside of `changed` fell back on the way.
    for (const Knob& knob : space.knobs())
      if (!contains(open, knob.name) && stairs.back().at(knob.name) != winner.at(knob.name))
        open.push_back(knob.name);
    const Texts group = movable(space, stairs.back(), winner, open);
    double gain = 0;
    for (const KnobGain& knob : changed)
      if (contains(group, knob.name)) gain += knob.gain;
    auto next = moved(space, stairs.back(), winner, group);
    // A step that leads back to where the staircase was would never end.
    if (!next || contains(stairs, *next)) next = winner;
    stairs.push_back(std::move(*next));
    gains.push_back(gain);
  }
  size_t large = stairs.size() - 1;
  const bool known = any_of(changed, [](const auto& knob) { return knob.gain != 0; });
  while (known && large > 0 && gains[large] < small_step) --large;
  large = std::min(large, std::max<size_t>(most, 1));
  // Between the large steps and the winner, one configuration halves the small steps.
  const size_t rest = stairs.size() - 1 - large;
  if (rest < 2) return stairs;
  const auto at = [&](size_t i) { return stairs.begin() + ptrdiff_t(i); };
  const size_t half = large + (rest + 1) / 2;
  stairs.erase(at(half + 1), stairs.end() - 1);
  stairs.erase(at(large + 1), at(half));
  return stairs;
}

}  // namespace rooftune::search
