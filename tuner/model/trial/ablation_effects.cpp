// What the set-backs of an ablation say of each knob, and of all together.
#include <algorithm>

#include "trial/ablation.h"
#include "trial/statistics.h"

namespace rooftune::trial {
namespace {

/// True when setting another measured knob back takes this one along.
bool part_of_another(const Ablation& ablation, std::size_t index) {
  const std::string& name = ablation.knobs[index].knob;
  return std::any_of(ablation.knobs.begin(), ablation.knobs.end(), [&](const SetBack& other) {
    return other.measured() && (std::ranges::find(other.along, name) != other.along.end() ||
                                std::ranges::find(other.together, name) != other.together.end());
  });
}

void compare(const Ablation& ablation, KnobEffects& result) {
  if (!result.total) return;
  Estimate product = Estimate::exact(1);
  for (std::size_t i = 0; i < ablation.knobs.size(); ++i) {
    if (part_of_another(ablation, i)) continue;
    const auto single = std::find_if(result.single.begin(), result.single.end(),
                                     [&](const KnobEffect& effect) { return effect.index == i; });
    if (single == result.single.end()) return;
    product.value *= single->factor.value;
    product.low *= single->factor.low;
    product.high *= single->factor.high;
  }
  result.product = product;
  result.interaction = Estimate{result.total->value / product.value,
                                result.total->low / product.high, result.total->high / product.low};
}

}  // namespace

KnobEffects effects(const Ablation& ablation) {
  KnobEffects result;
  double count = ablation.baseline_rounds.empty() ? 0 : 1;
  for (const SetBack& back : ablation.knobs) count += back.measured() ? 1 : 0;
  if (count == 0) return result;
  const double confidence = 1 - 0.05 / count;
  for (std::size_t i = 0; i < ablation.knobs.size(); ++i)
    if (ablation.knobs[i].measured())
      result.single.push_back({i, median_ratio(ratios(ablation.knobs[i].rounds), confidence)});
  if (!ablation.baseline_rounds.empty())
    result.total = median_ratio(ratios(ablation.baseline_rounds), confidence);
  compare(ablation, result);
  return result;
}

std::vector<KnobEffect> costly(const Ablation& ablation) {
  std::vector<KnobEffect> result = effects(ablation).single;
  std::erase_if(result, [](const KnobEffect& effect) { return effect.factor.high >= 1; });
  std::stable_sort(result.begin(), result.end(), [](const KnobEffect& a, const KnobEffect& b) {
    return a.factor.value < b.factor.value;
  });
  return result;
}

}  // namespace rooftune::trial
