#include "search/gp_hyperparameters.h"

#include <algorithm>
#include <cmath>

#include "search/covariance.h"

namespace rooftune::search {
namespace {

constexpr double least_noise = 1e-4, most_noise = 0.3;
constexpr double least_weight = 1e-2, most_weight = 100;
/// Centre and width (in logarithms) of the prior of a weight: half the range of a knob matters.
constexpr double prior_weight = 1.0, prior_width = 1.5;

/// target -= factors[0] * first + ... + factors[3] * fourth, in this order.
__attribute__((always_inline)) inline void subtract_four(double* target, std::size_t count,
                                                         const double* const columns[4],
                                                         const double factors[4]) {
  const double *const a = columns[0], *const b = columns[1], *const c = columns[2],
                      *const d = columns[3];
  const double f = factors[0], g = factors[1], h = factors[2], k = factors[3];
  for (std::size_t i = 0; i < count; ++i)
    target[i] = target[i] - f * a[i] - g * b[i] - h * c[i] - k * d[i];
}

/// Cholesky in place of the lower triangle of n columns, each of `rows` >= n contiguous elements;
/// rows from n on become solutions of the factor. False when not positive definite.
ROOFTUNE_WIDE
bool factorise(std::vector<double>& a, std::size_t n, std::size_t rows) {
  for (std::size_t j = 0; j < n; ++j) {
    double* const column = &a[j * rows];
    std::size_t k = 0;
    for (; k + 4 <= j; k += 4) {
      const double* const before = &a[k * rows + j];
      const double* const columns[4] = {before, before + rows, before + 2 * rows,
                                        before + 3 * rows};
      const double factors[4] = {*columns[0], *columns[1], *columns[2], *columns[3]};
      subtract_four(column + j, rows - j, columns, factors);
    }
    for (; k < j; ++k) {
      const double* const before = &a[k * rows];
      const double factor = before[j];
      for (std::size_t i = j; i < rows; ++i) column[i] -= factor * before[i];
    }
    if (!(column[j] > 0)) return false;
    const double pivot = column[j] = std::sqrt(column[j]);
    for (std::size_t i = j + 1; i < rows; ++i) column[i] /= pivot;
  }
  return true;
}

/// The likelihood of shapes for one set of observations; knob distances are computed once, in the
/// order of the columns of the lower triangle.
class Likelihood {
 public:
  Likelihood(const KnobDistances& distances, const std::vector<const Assignment*>& xs,
             const std::vector<double>& ys)
      : n_(xs.size()), ys_(ys), parts_(distances.knobs().size()) {
    for (std::size_t c = 0; c < parts_.size(); ++c)
      for (std::size_t j = 0; j < n_; ++j)
        for (std::size_t i = j + 1; i < n_; ++i)
          parts_[c].push_back(distances.squared(c, *xs[i], *xs[j]));
  }

  void total(const GpHyperparameters& hyperparameters, std::vector<double>& sums) const {
    sums.assign(n_ * (n_ - 1) / 2, 0);
    for (std::size_t c = 0; c < parts_.size(); ++c) add(c, hyperparameters.weights[c], sums);
  }
  void add(std::size_t c, double weight, std::vector<double>& sums) const {
    const std::vector<double>& part = parts_[c];
    for (std::size_t p = 0; p < sums.size(); ++p) sums[p] += weight * part[p];
  }

  double log_likelihood(const GpHyperparameters& hyperparameters, const std::vector<double>& sums) {
    if (!factorised(hyperparameters, sums)) return -HUGE_VAL;
    double fit = 0, volume = 0;
    for (std::size_t j = 0; j < n_; ++j) {
      const double* const column = &matrix_[j * (n_ + 1)];
      fit += column[n_] * column[n_];
      volume += std::log(column[j]);
    }
    // The scale of the process needs no search: the best one is fit / n, with this as the rest of
    // the likelihood.
    const auto n = static_cast<double>(n_);
    double prior = 0;
    for (const double weight : hyperparameters.weights) {
      const double off = std::log(weight / prior_weight) / prior_width;
      prior -= off * off / 2;
    }
    return -n / 2 * std::log(std::max(fit / n, 1e-12)) - volume + prior;
  }

 private:
  /// The covariances with the observations as one more row; the row becomes L^-1 y.
  bool factorised(const GpHyperparameters& hyperparameters, const std::vector<double>& sums) {
    covariances_ = sums;
    matern(covariances_.data(), covariances_.size());
    matrix_.resize(n_ * (n_ + 1));
    const double* from = covariances_.data();
    for (std::size_t j = 0; j < n_; ++j) {
      double* const column = &matrix_[j * (n_ + 1)];
      column[j] = 1 + hyperparameters.noise + jitter;
      std::copy_n(from, n_ - 1 - j, column + j + 1);
      from += n_ - 1 - j;
      column[n_] = ys_[j];
    }
    return factorise(matrix_, n_, n_ + 1);
  }

  std::size_t n_;
  const std::vector<double>& ys_;
  std::vector<std::vector<double>> parts_;
  std::vector<double> covariances_, matrix_;
};

}  // namespace

GpHyperparameters fitted_hyperparameters(const KnobDistances& distances,
                                         const std::vector<const Assignment*>& xs,
                                         const std::vector<double>& ys,
                                         GpHyperparameters hyperparameters, int sweeps) {
  hyperparameters.weights.resize(distances.knobs().size(), prior_weight);
  if (xs.size() < 3) return hyperparameters;
  Likelihood likelihood(distances, xs, ys);
  std::vector<double> sums, trial;
  likelihood.total(hyperparameters, sums);
  double best = likelihood.log_likelihood(hyperparameters, sums);
  // Steps by a factor, taken when they gain, cannot diverge where a dozen trials leave the
  // likelihood flat, as a gradient would. Large steps first, then half as large.
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const double factor = sweep == 0 ? 4 : 2;
    for (std::size_t c = 0; c < hyperparameters.weights.size(); ++c)
      for (const double step : {factor, 1 / factor}) {
        const double old = hyperparameters.weights[c];
        hyperparameters.weights[c] = std::clamp(old * step, least_weight, most_weight);
        trial = sums;
        likelihood.add(c, hyperparameters.weights[c] - old, trial);
        const double now = likelihood.log_likelihood(hyperparameters, trial);
        if (now > best) {
          best = now;
          sums.swap(trial);
        } else {
          hyperparameters.weights[c] = old;
        }
      }
    for (const double step : {factor, 1 / factor}) {
      GpHyperparameters other = hyperparameters;
      other.noise = std::clamp(hyperparameters.noise * step, least_noise, most_noise);
      const double now = likelihood.log_likelihood(other, sums);
      if (now <= best) continue;
      best = now;
      hyperparameters = std::move(other);
    }
  }
  return hyperparameters;
}

}  // namespace rooftune::search
