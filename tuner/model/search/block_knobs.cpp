#include "search/block_knobs.h"

#include <algorithm>
#include <cmath>

#include "core/list.h"
#include "core/text.h"

namespace rooftune::search {
namespace {

constexpr double least_threads = 128, most_threads = 256;
constexpr double per_halving = 0.1, per_doubling = 0.05;

Texts named(const Knobs& knobs, const TextSet& names) {
  Texts found;
  for (const Knob& knob : knobs)
    if (names.contains(lower_case(knob.name))) found.push_back(knob.name);
  return found;
}

double slower(double doublings) {
  if (doublings < std::log2(least_threads))
    return per_halving * (std::log2(least_threads) - doublings);
  return per_doubling * std::max(0.0, doublings - std::log2(most_threads));
}

}  // namespace

Texts community_block_knobs(const Knobs& knobs) {
  return named(knobs, {"block_size_x", "block_size_y", "block_size_z"});
}

Texts own_block_knobs(const Knobs& knobs) {
  return named(knobs, {"block", "block_x", "block_y", "block_z", "block_size_x", "block_size_y",
                       "block_size_z"});
}

Expected expected_of_blocks(const SearchSpace& space, const Texts& knobs) {
  std::vector<std::pair<size_t, Numbers>> sides;  // knob, log2 of its values
  for (const std::string& name : knobs) {
    const Knob* const knob = space.knob(name);
    if (!knob) continue;
    Numbers doublings;
    for (const Value& value : knob->values) {
      if (!value.is_number() || value.is_bool() || !(value.real() > 0)) return {};
      doublings.push_back(std::log2(value.real()));
    }
    sides.push_back({size_t(knob - space.knobs().data()), std::move(doublings)});
  }
  if (sides.empty()) return {};
  return [sides = std::move(sides)](const Assignment& point) {
    double doublings = 0;
    for (const auto& [knob, values] : sides) doublings += values[point[knob]];
    return slower(doublings);
  };
}

}  // namespace rooftune::search
