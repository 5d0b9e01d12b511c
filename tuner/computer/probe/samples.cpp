#include "probe/samples.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/file.h"

namespace rooftune::probe {
namespace {
constexpr std::size_t most_listed = 10;
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

/// Of the three windows with the most work per cycle.
bool Samples::agree_per_cycle() const {
  if (!cycles_ || samples_.size() < agreeing) return false;
  std::vector<double> per_cycle;
  for (const Sample& sample : samples_) per_cycle.push_back(sample.per_cycle());
  std::partial_sort(per_cycle.begin(), per_cycle.begin() + agreeing, per_cycle.end(),
                    std::greater<>());
  const double least = per_cycle[agreeing - 1];
  return least > 0 && per_cycle[0] <= (1 + std::max(tolerance_, cycle_tolerance)) * least;
}

Estimate Samples::estimate() const {
  if (samples_.empty()) return {};
  const double best = samples_.front().rate;
  return {best, samples_[std::min(samples_.size(), agreeing) - 1].rate, best};
}

std::vector<double> Samples::best() const {
  std::vector<double> rates;
  for (std::size_t i = 0; i < std::min(most_listed, samples_.size()); ++i)
    rates.push_back(samples_[i].rate);
  return rates;
}

void Visited::count_visit(double before) {
  ++visits;
  const bool rose = best_rate() > before * (1 + samples.tolerance() / 5);
  quiet_visits = rose || samples.windows() == 0 ? 0 : quiet_visits + 1;
}

Ceiling measured(Ceiling ceiling, const Samples& samples, const std::string& how,
                 const std::string& fault) {
  ceiling.rate = samples.estimate();
  ceiling.samples = samples.best();
  ceiling.clock = samples.clock();
  ceiling.stable = samples.reproduced() && fault.empty();
  ceiling.shown_only = !fault.empty();
  ceiling.source.kind = Source::Kind::measured;
  ceiling.source.text = how;
  if (!samples.reproduced())
    ceiling.source.text += "; its best windows disagree: the machine moved";
  else if (samples.clock_moved())
    ceiling.source.text += "; the three best windows agree in cycles, their clocks differ";
  if (samples.dropped() > 0)
    ceiling.source.text +=
        fmt::format("; {} lone windows, faster by 10 % and more, were left out", samples.dropped());
  if (!fault.empty()) ceiling.source.text += "; " + fault;
  ceiling.source.date = utc_now();
  return ceiling;
}

}  // namespace rooftune::probe
