#include "search/gaussian_process.h"

#include <algorithm>
#include <cmath>

namespace rooftune {
namespace {

constexpr double least_noise = 1e-4, most_noise = 0.3;
constexpr double least_weight = 1e-2, most_weight = 100;
/// Centre and width (in logarithms) of the prior of a weight: half the range of a knob matters.
constexpr double prior_weight = 1.0, prior_width = 1.5;
/// Keeps the factorisation of nearly equal rows stable.
constexpr double jitter = 1e-8;

/// Cholesky in place of the lower triangle (row by row); false when not positive definite.
bool factorise(std::vector<double>& a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    double* const row = &a[i * n];
    for (std::size_t j = 0; j <= i; ++j) {
      const double* const other = &a[j * n];
      double sum = row[j];
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      if (i == j) {
        if (!(sum > 0)) return false;
        row[i] = std::sqrt(sum);
      } else {
        row[j] = sum / other[j];
      }
    }
  }
  return true;
}

/// The likelihood of shapes for one set of observations; knob distances are computed once.
class Likelihood {
 public:
  Likelihood(const KnobDistances& distances, const std::vector<const Assignment*>& xs,
             const std::vector<double>& ys)
      : n_(xs.size()), ys_(ys), parts_(distances.knobs().size()) {
    for (std::size_t c = 0; c < parts_.size(); ++c)
      for (std::size_t i = 0; i < n_; ++i)
        for (std::size_t j = 0; j < i; ++j)
          parts_[c].push_back(distances.squared(c, *xs[i], *xs[j]));
  }

  void total(const KernelShape& shape, std::vector<double>& sums) const {
    sums.assign(n_ * (n_ - 1) / 2, 0);
    for (std::size_t c = 0; c < parts_.size(); ++c) add(c, shape.weights[c], sums);
  }
  void add(std::size_t c, double weight, std::vector<double>& sums) const {
    const std::vector<double>& part = parts_[c];
    for (std::size_t p = 0; p < sums.size(); ++p) sums[p] += weight * part[p];
  }

  double of(const KernelShape& shape, const std::vector<double>& sums) {
    matrix_.resize(n_ * n_);
    for (std::size_t i = 0, p = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < i; ++j, ++p) matrix_[i * n_ + j] = matern(sums[p]);
      matrix_[i * n_ + i] = 1 + shape.noise + jitter;
    }
    if (!factorise(matrix_, n_)) return -HUGE_VAL;
    double fit = 0, volume = 0;
    solved_.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      double sum = ys_[i];
      for (std::size_t k = 0; k < i; ++k) sum -= matrix_[i * n_ + k] * solved_[k];
      solved_[i] = sum / matrix_[i * n_ + i];
      fit += solved_[i] * solved_[i];
      volume += std::log(matrix_[i * n_ + i]);
    }
    const auto n = static_cast<double>(n_);
    double prior = 0;
    for (const double weight : shape.weights) {
      const double off = std::log(weight / prior_weight) / prior_width;
      prior -= off * off / 2;
    }
    return -n / 2 * std::log(std::max(fit / n, 1e-12)) - volume + prior;
  }

 private:
  std::size_t n_;
  const std::vector<double>& ys_;
  std::vector<std::vector<double>> parts_;
  std::vector<double> matrix_, solved_;
};

}  // namespace

double matern(double squared_distance) {
  const double r = std::sqrt(5 * squared_distance);
  return (1 + r + r * r / 3) * std::exp(-r);
}

KernelShape learnt_shape(const KnobDistances& distances, const std::vector<const Assignment*>& xs,
                         const std::vector<double>& ys, KernelShape shape, int sweeps) {
  shape.weights.resize(distances.knobs().size(), prior_weight);
  if (xs.size() < 3) return shape;
  Likelihood likelihood(distances, xs, ys);
  std::vector<double> sums, trial;
  likelihood.total(shape, sums);
  double best = likelihood.of(shape, sums);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const double factor = sweep == 0 ? 4 : 2;
    for (std::size_t c = 0; c < shape.weights.size(); ++c)
      for (const double step : {factor, 1 / factor}) {
        const double old = shape.weights[c];
        shape.weights[c] = std::clamp(old * step, least_weight, most_weight);
        trial = sums;
        likelihood.add(c, shape.weights[c] - old, trial);
        const double now = likelihood.of(shape, trial);
        if (now > best) {
          best = now;
          sums.swap(trial);
        } else {
          shape.weights[c] = old;
        }
      }
    for (const double step : {factor, 1 / factor}) {
      KernelShape other = shape;
      other.noise = std::clamp(shape.noise * step, least_noise, most_noise);
      const double now = likelihood.of(other, sums);
      if (now <= best) continue;
      best = now;
      shape = std::move(other);
    }
  }
  return shape;
}

Posterior::Posterior(const KnobDistances& distances, KernelShape shape,
                     std::vector<Assignment> candidates, std::size_t capacity)
    : distances_(distances),
      shape_(std::move(shape)),
      candidates_(std::move(candidates)),
      capacity_(capacity),
      projections_(candidates_.size() * capacity),
      mean_(candidates_.size()),
      explained_(candidates_.size()),
      ran_(candidates_.size()),
      seen_(candidates_.size()) {}

void Posterior::observe(const Assignment& x, double y) {
  const std::size_t n = xs_.size();
  std::vector<double> row(n + 1);
  double left = 1 + shape_.noise + jitter;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = matern(distances_.squared(shape_.weights, x, xs_[i]));
    for (std::size_t k = 0; k < i; ++k) sum -= factor_[i][k] * row[k];
    row[i] = sum / factor_[i][i];
    left -= row[i] * row[i];
  }
  row[n] = std::sqrt(std::max(left, jitter));
  double solved = y;
  for (std::size_t i = 0; i < n; ++i) solved -= row[i] * solved_[i];
  solved /= row[n];
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    double* const projection = &projections_[c * capacity_];
    double sum = matern(distances_.squared(shape_.weights, candidates_[c], x));
    for (std::size_t i = 0; i < n; ++i) sum -= row[i] * projection[i];
    const double own = sum / row[n];
    projection[n] = own;
    mean_[c] += own * solved;
    explained_[c] += own * own;
  }
  xs_.push_back(x);
  factor_.push_back(std::move(row));
  solved_.push_back(solved);
}

void Posterior::witness(const Assignment& x, bool ran) {
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    const double near = matern(distances_.squared(shape_.weights, candidates_[c], x));
    const double mass = near * near;
    seen_[c] += mass;
    if (ran) ran_[c] += mass;
  }
}

double Posterior::variance(std::size_t candidate) const {
  return std::max(1 - explained_[candidate], 1e-9);
}

double Posterior::chance(std::size_t candidate, double prior) const {
  return (prior + ran_[candidate]) / (1 + seen_[candidate]);
}

double Posterior::signal() const {
  double sum = 0;
  for (const double z : solved_) sum += z * z;
  return solved_.empty() ? 1 : sum / static_cast<double>(solved_.size());
}

}  // namespace rooftune
