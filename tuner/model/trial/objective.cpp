#include "trial/objective.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace rooftune::trial {
namespace {

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace

Objective::Objective(Aim aim, std::vector<double> bounds) : aim_(aim), bounds_(std::move(bounds)) {
  if (bounds_.size() < 2) throw Error("an objective needs several inputs");
  bound_ = geometric_mean(bounds_);
}

double Objective::gap(const std::vector<double>& seconds) const {
  std::vector<double> gaps;
  for (std::size_t i = 0; i < bounds_.size(); ++i) gaps.push_back(seconds[i] / bounds_[i]);
  return aim_ == Aim::mean ? geometric_mean(gaps) : *std::max_element(gaps.begin(), gaps.end());
}

Estimate Objective::time(const std::vector<Estimate>& seconds) const {
  std::vector<double> value, low, high;
  for (const Estimate& one : seconds) {
    value.push_back(one.value);
    low.push_back(one.low);
    high.push_back(one.high);
  }
  return {time(value), time(low), time(high)};
}

double Objective::share(double time, std::vector<double> seconds, std::size_t input) const {
  if (aim_ == Aim::minimax) return time / bound_ * bounds_[input];
  seconds[input] = bounds_[input];
  const double ratio = time / this->time(seconds);
  return bounds_[input] * std::pow(ratio, static_cast<double>(bounds_.size()));
}

std::string described(Objective::Aim aim) {
  return aim == Objective::Aim::mean ? "the geometric mean of the gaps" : "the largest gap";
}

}  // namespace rooftune::trial
