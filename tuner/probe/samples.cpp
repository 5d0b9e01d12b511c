#include "probe/samples.h"

#include <algorithm>
#include <limits>

namespace rooftune::microbench {
namespace {
constexpr std::size_t kept = 10;
constexpr std::size_t agreeing = 3;
constexpr double cycle_tolerance = 0.01;  // the clock itself is read to 0.3 %
}  // namespace

void Samples::add(double rate, double clock) {
  ++windows_;
  const auto place = std::find_if(best_.begin(), best_.end(),
                                  [&](const Sample& sample) { return sample.rate < rate; });
  best_.insert(place, {rate, clock});
  if (best_.size() > kept) best_.pop_back();
}

bool Samples::agree() const {
  return best_.size() >= agreeing &&
         best_.front().rate <= (1 + tolerance_) * best_[agreeing - 1].rate;
}

bool Samples::clock_moved() const {
  if (agree() || !cycles_ || best_.size() < agreeing) return false;
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (std::size_t i = 0; i < agreeing; ++i) {
    if (best_[i].clock <= 0) return false;
    least = std::min(least, best_[i].rate / best_[i].clock);
    most = std::max(most, best_[i].rate / best_[i].clock);
  }
  return most <= (1 + cycle_tolerance) * least;
}

bool Samples::reproduced() const { return agree() || clock_moved(); }

Estimate Samples::estimate() const {
  if (best_.empty()) return {};
  const double high = best_.front().rate;
  const double low = best_[std::min(best_.size(), agreeing) - 1].rate;
  if (reproduced()) return {high, low, high};
  return {best_[std::min<std::size_t>(best_.size(), 2) - 1].rate, low, high};
}

double Samples::clock() const {
  double most = 0;
  for (std::size_t i = 0; i < std::min(best_.size(), agreeing); ++i)
    most = std::max(most, best_[i].clock);
  return most;
}

std::vector<double> Samples::best() const {
  std::vector<double> rates;
  for (const Sample& sample : best_) rates.push_back(sample.rate);
  return rates;
}

void Samples::restart() {
  windows_ = 0;
  best_.clear();
}

}  // namespace rooftune::microbench
