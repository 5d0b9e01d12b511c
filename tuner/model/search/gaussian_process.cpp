#include "search/gaussian_process.h"

#include <algorithm>
#include <cmath>

namespace rooftune::search {
namespace {

/// Candidates whose projections on all observations fit into a core's cache.
constexpr std::size_t block_size = 64;

std::vector<Assignment> padded(std::vector<Assignment> points) {
  while (!points.empty() && points.size() % block_size != 0) points.push_back(points.back());
  return points;
}

/// values -= sum of row[i] * projections[i], in the order of i: lanes are independent, so wide
/// registers add in the same order as narrow ones. Four at a time, to load and store `values` less.
ROOFTUNE_WIDE
void subtract(double* values, const double* row, const double* projections, std::size_t count) {
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const double* const p = projections + i * block_size;
    const double a = row[i], b = row[i + 1], c = row[i + 2], d = row[i + 3];
    for (std::size_t lane = 0; lane < block_size; ++lane)
      values[lane] = values[lane] - a * p[lane] - b * p[lane + block_size] -
                     c * p[lane + 2 * block_size] - d * p[lane + 3 * block_size];
  }
  for (; i < count; ++i)
    for (std::size_t lane = 0; lane < block_size; ++lane)
      values[lane] -= row[i] * projections[i * block_size + lane];
}

}  // namespace

Posterior::Posterior(const KnobDistances& distances, GpHyperparameters hyperparameters,
                     std::vector<Assignment> candidates, std::size_t capacity)
    : distances_(distances),
      hyperparameters_(std::move(hyperparameters)),
      candidates_(std::move(candidates)),
      capacity_(capacity),
      rows_(distances, hyperparameters_.weights, padded(candidates_)) {
  const std::size_t size = (candidates_.size() + block_size - 1) / block_size * block_size;
  projections_.resize(size * capacity);
  for (std::vector<double>* sums : {&mean_, &explained_, &feasible_mass_, &mass_})
    sums->resize(size);
}

void Posterior::observe(const std::vector<const Assignment*>& xs, const std::vector<double>& ys) {
  const std::size_t first = xs_.size(), blocks = mean_.size() / block_size;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    extend_factor(*xs[i], ys[i]);
    rows_.begin(*xs[i]);
    for (std::size_t block = 0; block < blocks; ++block)
      rows_.row(block * block_size, block_size,
                &projections_[(block * capacity_ + first + i) * block_size]);
  }
  for (std::size_t block = 0; block < blocks; ++block) project(block, first);
}

void Posterior::extend_factor(const Assignment& x, double y) {
  const std::size_t n = xs_.size();
  std::vector<double> row(n + 1);
  double left = 1 + hyperparameters_.noise + jitter;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = matern(distances_.squared(hyperparameters_.weights, x, xs_[i]));
    for (std::size_t k = 0; k < i; ++k) sum -= factor_[i][k] * row[k];
    row[i] = sum / factor_[i][i];
    left -= row[i] * row[i];
  }
  // The rest not explained by earlier observations; rounding must not make it negative where many
  // are nearly alike.
  row[n] = std::sqrt(std::max(left, jitter));
  double solved = y;
  for (std::size_t i = 0; i < n; ++i) solved -= row[i] * solved_[i];
  xs_.push_back(x);
  solved_.push_back(solved / row[n]);
  factor_.push_back(std::move(row));
}

void Posterior::project(std::size_t block, std::size_t first) {
  double* const projections = &projections_[block * capacity_ * block_size];
  double* const mean = &mean_[block * block_size];
  double* const explained = &explained_[block * block_size];
  for (std::size_t n = first; n < xs_.size(); ++n) {
    double own[block_size];
    double* const kept = projections + n * block_size;
    std::copy_n(kept, block_size, own);
    subtract(own, factor_[n].data(), projections, n);
    const double pivot = factor_[n][n], solved = solved_[n];
    for (std::size_t lane = 0; lane < block_size; ++lane) {
      own[lane] /= pivot;
      mean[lane] += own[lane] * solved;
      explained[lane] += own[lane] * own[lane];
    }
    std::copy_n(own, block_size, kept);
  }
}

void Posterior::observe_feasibility(const Assignment& x, bool ran, double times) {
  rows_.begin(x);
  for (std::size_t block = 0; block < mass_.size(); block += block_size) {
    double covariances[block_size];
    rows_.row(block, block_size, covariances);
    for (std::size_t lane = 0; lane < block_size; ++lane) {
      // Squared: success changes at thresholds (registers, shared memory), over shorter distances
      // than the time does.
      const double mass = times * covariances[lane] * covariances[lane];
      mass_[block + lane] += mass;
      if (ran) feasible_mass_[block + lane] += mass;
    }
  }
}

double Posterior::variance(std::size_t candidate) const {
  return std::max(1 - explained_[candidate], 1e-9);
}

double Posterior::feasibility(std::size_t candidate, double prior) const {
  return (prior + feasible_mass_[candidate]) / (1 + mass_[candidate]);
}

double Posterior::signal() const {
  double sum = 0;
  for (const double z : solved_) sum += z * z;
  return solved_.empty() ? 1 : sum / static_cast<double>(solved_.size());
}

}  // namespace rooftune::search
