#include "probe/samples.h"

#include <algorithm>

namespace rooftune::microbench {
namespace {
constexpr std::size_t shown = 10;
constexpr std::size_t agreeing = 3;
constexpr double cycle_tolerance = 0.01;  // the clock itself is read to 0.3 %
}  // namespace

void Samples::add(double rate, double clock) {
  const auto place =
      std::upper_bound(samples_.begin(), samples_.end(), rate,
                       [](double value, const Sample& sample) { return value > sample.rate; });
  samples_.insert(place, {rate, clock});
}

void Samples::drop_lone_best() {
  constexpr double far = 1.10;
  if (samples_.size() <= agreeing) return;
  const bool alone = samples_[0].rate > far * samples_[1].rate &&
                     samples_[1].rate <= (1 + tolerance_) * samples_[agreeing].rate;
  if (!alone) return;
  samples_.erase(samples_.begin());
  ++dropped_;
}

bool Samples::agree() const {
  return samples_.size() >= agreeing &&
         samples_.front().rate <= (1 + tolerance_) * samples_[agreeing - 1].rate;
}

/// Windows whose work per cycle is that of the best three; empty when those three disagree.
std::vector<Samples::Sample> Samples::trusted() const {
  if (!cycles_ || samples_.size() < agreeing) return {};
  std::vector<double> per_cycle;
  for (const Sample& sample : samples_) per_cycle.push_back(sample.per_cycle());
  std::partial_sort(per_cycle.begin(), per_cycle.begin() + agreeing, per_cycle.end(),
                    std::greater<>());
  const double tolerance = 1 + std::max(tolerance_, cycle_tolerance);
  if (per_cycle[agreeing - 1] <= 0 || per_cycle[0] > tolerance * per_cycle[agreeing - 1]) return {};
  std::vector<Sample> result;
  for (const Sample& sample : samples_)
    if (sample.per_cycle() * tolerance >= per_cycle[0]) result.push_back(sample);
  return result;
}

bool Samples::agree_per_cycle() const { return !trusted().empty(); }

Estimate Samples::estimate() const {
  if (samples_.empty()) return {};
  const std::vector<Sample> group = agree() ? samples_ : trusted();
  if (!group.empty()) return {group[0].rate, group[agreeing - 1].rate, group[0].rate};
  const std::size_t last = std::min(samples_.size(), agreeing) - 1;
  return {samples_[std::min<std::size_t>(last, 1)].rate, samples_[last].rate, samples_[0].rate};
}

double Samples::clock() const {
  if (samples_.empty()) return 0;
  const std::vector<Sample> group = agree() ? samples_ : trusted();
  if (!group.empty()) return group[0].clock;
  return samples_[std::min<std::size_t>(samples_.size() - 1, 1)].clock;
}

std::vector<double> Samples::best() const {
  std::vector<Sample> group = agree() ? samples_ : trusted();
  if (group.empty()) group = samples_;
  std::vector<double> rates;
  for (std::size_t i = 0; i < std::min(shown, group.size()); ++i) rates.push_back(group[i].rate);
  return rates;
}

}  // namespace rooftune::microbench
