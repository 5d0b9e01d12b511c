#include "search/gaussian_process.h"

#include <algorithm>
#include <cmath>

#include "core/list.h"

namespace rooftune::search {
namespace {

/// So many candidates' projections on all observations fit into a core's cache.
constexpr size_t block_size = 64;

Assignments padded(Assignments points) {
  while (!points.empty() && points.size() % block_size != 0) points.push_back(points.back());
  return points;
}

/// values -= row[0] * projections[0], then row[1] * projections[1] and so on: lanes are
/// independent, so wide registers add in the same order as narrow ones. Four at a time, to load and
/// store `values` less.
ROOFTUNE_WIDE
void subtract(double* values, const double* row, const double* projections, size_t count) {
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const double* const p = projections + i * block_size;
    const double a = row[i], b = row[i + 1], c = row[i + 2], d = row[i + 3];
    for (size_t lane = 0; lane < block_size; ++lane)
      values[lane] = values[lane] - a * p[lane] - b * p[lane + block_size] -
                     c * p[lane + 2 * block_size] - d * p[lane + 3 * block_size];
  }
  for (; i < count; ++i)
    for (size_t lane = 0; lane < block_size; ++lane)
      values[lane] -= row[i] * projections[i * block_size + lane];
}

constexpr double least_noise = 1e-4, most_noise = 0.3;
constexpr double least_weight = 1e-2, most_weight = 100;
/// A weight's prior, its centre and its width (in logarithms): half a knob's range matters.
constexpr double prior_weight = 1.0, prior_width = 1.5;

/// target -= factors[0] * first + ... + factors[3] * fourth, in this order.
__attribute__((always_inline)) inline void subtract_four(double* target, size_t count,
                                                         const double* const columns[4],
                                                         const double factors[4]) {
  const double *const a = columns[0], *const b = columns[1], *const c = columns[2],
                      *const d = columns[3];
  const double f = factors[0], g = factors[1], h = factors[2], k = factors[3];
  for (size_t i = 0; i < count; ++i)
    target[i] = target[i] - f * a[i] - g * b[i] - h * c[i] - k * d[i];
}

/// Cholesky in place, for the lower triangle of n columns with `rows` >= n contiguous elements
/// each; rows from n on become the factor's solutions. False when not positive definite.
ROOFTUNE_WIDE
bool factorise(Numbers& a, size_t n, size_t rows) {
  for (size_t j = 0; j < n; ++j) {
    double* const column = &a[j * rows];
    size_t k = 0;
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
      for (size_t i = j; i < rows; ++i) column[i] -= factor * before[i];
    }
    if (!(column[j] > 0)) return false;
    const double pivot = column[j] = std::sqrt(column[j]);
    for (size_t i = j + 1; i < rows; ++i) column[i] /= pivot;
  }
  return true;
}

/// How likely hyperparameters are for one set of observations; knob distances are computed once, in
/// the order in which the lower triangle's columns take them.
class Likelihood {
 public:
  Likelihood(const KnobDistances& distances, const AssignmentRefs& xs, const Numbers& ys,
             const Numbers& noises)
      : n_(xs.size()), ys_(ys), noises_(noises), parts_(distances.knobs().size()) {
    for (const size_t c : indices(parts_))
      for (size_t j = 0; j < n_; ++j)
        for (size_t i = j + 1; i < n_; ++i)
          parts_[c].push_back(distances.squared(c, *xs[i], *xs[j]));
  }

  void total(const GpHyperparameters& hyperparameters, Numbers& sums) const {
    sums.assign(n_ * (n_ - 1) / 2, 0);
    for (const size_t c : indices(parts_)) add(c, hyperparameters.weights[c], sums);
  }
  void add(size_t c, double weight, Numbers& sums) const {
    const Numbers& part = parts_[c];
    for (const size_t p : indices(sums)) sums[p] += weight * part[p];
  }

  double log_likelihood(const GpHyperparameters& hyperparameters, const Numbers& sums) {
    if (!factorised(hyperparameters, sums)) return -HUGE_VAL;
    double fit = 0, volume = 0;
    for (size_t j = 0; j < n_; ++j) {
      const double* const column = &matrix_[j * (n_ + 1)];
      fit += column[n_] * column[n_];
      volume += std::log(column[j]);
    }
    // The process's scale needs no search: the best scale is fit / n, and this is what remains of
    // the likelihood.
    const auto n = double(n_);
    double prior = 0;
    for (const double weight : hyperparameters.weights) {
      const double off = std::log(weight / prior_weight) / prior_width;
      prior -= off * off / 2;
    }
    return -n / 2 * std::log(std::max(fit / n, 1e-12)) - volume + prior;
  }

 private:
  /// Factorises the covariances with the observations as one more row, which becomes L^-1 y.
  bool factorised(const GpHyperparameters& hyperparameters, const Numbers& sums) {
    covariances_ = sums;
    matern(covariances_.data(), covariances_.size());
    matrix_.resize(n_ * (n_ + 1));
    const double* from = covariances_.data();
    for (size_t j = 0; j < n_; ++j) {
      double* const column = &matrix_[j * (n_ + 1)];
      column[j] = 1 + hyperparameters.noise + jitter + (noises_.empty() ? 0 : noises_[j]);
      std::copy_n(from, n_ - 1 - j, column + j + 1);
      from += n_ - 1 - j;
      column[n_] = ys_[j];
    }
    return factorise(matrix_, n_, n_ + 1);
  }

  size_t n_;
  const Numbers &ys_, &noises_;
  NumberRows parts_;
  Numbers covariances_, matrix_;
};

}  // namespace

Posterior::Posterior(const KnobDistances& distances, GpHyperparameters hyperparameters,
                     Assignments candidates, size_t capacity)
    : distances_(distances),
      hyperparameters_(std::move(hyperparameters)),
      candidates_(std::move(candidates)),
      capacity_(capacity),
      rows_(distances, hyperparameters_.weights, padded(candidates_)) {
  const size_t size = (candidates_.size() + block_size - 1) / block_size * block_size;
  projections_.resize(size * capacity);
  for (Numbers* sums : {&mean_, &explained_, &feasible_mass_, &mass_}) sums->resize(size);
}

void Posterior::observe(const AssignmentRefs& xs, const Numbers& ys, const Numbers& noises) {
  const size_t first = xs_.size(), blocks = mean_.size() / block_size;
  for (const size_t i : indices(xs)) {
    extend_factor(*xs[i], ys[i], noises.empty() ? 0 : noises[i]);
    rows_.begin(*xs[i]);
    for (size_t block = 0; block < blocks; ++block)
      rows_.row(block * block_size, block_size,
                &projections_[(block * capacity_ + first + i) * block_size]);
  }
  for (size_t block = 0; block < blocks; ++block) project(block, first);
}

void Posterior::extend_factor(const Assignment& x, double y, double noise) {
  const size_t n = xs_.size();
  Numbers row(n + 1);
  double left = 1 + hyperparameters_.noise + jitter + noise;
  for (size_t i = 0; i < n; ++i) {
    double sum = matern(distances_.squared(hyperparameters_.weights, x, xs_[i]));
    for (size_t k = 0; k < i; ++k) sum -= factor_[i][k] * row[k];
    row[i] = sum / factor_[i][i];
    left -= row[i] * row[i];
  }
  // What earlier observations leave unexplained; rounding must not make it negative where many are
  // nearly alike.
  row[n] = std::sqrt(std::max(left, jitter));
  double solved = y;
  for (size_t i = 0; i < n; ++i) solved -= row[i] * solved_[i];
  xs_.push_back(x);
  solved_.push_back(solved / row[n]);
  factor_.push_back(std::move(row));
}

void Posterior::project(size_t block, size_t first) {
  double* const projections = &projections_[block * capacity_ * block_size];
  double* const mean = &mean_[block * block_size];
  double* const explained = &explained_[block * block_size];
  for (size_t n = first; n < xs_.size(); ++n) {
    double own[block_size];
    double* const kept = projections + n * block_size;
    std::copy_n(kept, block_size, own);
    subtract(own, factor_[n].data(), projections, n);
    const double pivot = factor_[n][n], solved = solved_[n];
    for (size_t lane = 0; lane < block_size; ++lane) {
      own[lane] /= pivot;
      mean[lane] += own[lane] * solved;
      explained[lane] += own[lane] * own[lane];
    }
    std::copy_n(own, block_size, kept);
  }
}

void Posterior::observe_feasibility(const Assignment& x, bool ran, double times) {
  rows_.begin(x);
  for (size_t block = 0; block < mass_.size(); block += block_size) {
    double covariances[block_size];
    rows_.row(block, block_size, covariances);
    for (size_t lane = 0; lane < block_size; ++lane) {
      // Squared: success changes at thresholds (registers, shared memory), over shorter distances
      // than the time does.
      const double mass = times * covariances[lane] * covariances[lane];
      mass_[block + lane] += mass;
      if (ran) feasible_mass_[block + lane] += mass;
    }
  }
}

double Posterior::variance(size_t candidate) const {
  return std::max(1 - explained_[candidate], 1e-9);
}

double Posterior::feasibility(size_t candidate, double prior) const {
  return (prior + feasible_mass_[candidate]) / (1 + mass_[candidate]);
}

double Posterior::signal() const {
  double sum = 0;
  for (const double z : solved_) sum += z * z;
  return solved_.empty() ? 1 : sum / double(solved_.size());
}

GpHyperparameters fitted_hyperparameters(const KnobDistances& distances, const AssignmentRefs& xs,
                                         const Numbers& ys, GpHyperparameters hyperparameters,
                                         int sweeps, const Numbers& noises) {
  hyperparameters.weights.resize(distances.knobs().size(), prior_weight);
  if (xs.size() < 3) return hyperparameters;
  Likelihood likelihood(distances, xs, ys, noises);
  Numbers sums, trial;
  likelihood.total(hyperparameters, sums);
  double best = likelihood.log_likelihood(hyperparameters, sums);
  // Steps by a factor, taken when they gain, cannot diverge where a dozen trials leave the
  // likelihood flat, as a gradient would. Large steps come first, then steps half as large.
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const double factor = sweep == 0 ? 4 : 2;
    for (const size_t c : indices(hyperparameters.weights))
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
