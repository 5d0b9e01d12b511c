// Segments of constant level with the least sum of absolute deviations from their medians, for each
// number of segments by dynamic programming (segment neighbourhood; Auger and Lawrence 1989). Their
// number minimises n log(deviation) + 4 log(n) changes, as in asv: the noise need not be known.
// Absolute deviations, because one slow night must not make a level.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sweep/series.h"

namespace rooftune::sweep {
namespace {

constexpr std::size_t most_values = 500, shortest_level = 3, most_changes = 20;
constexpr double least_change = 0.02;
/// Least resolved mean deviation [log] of times: two levels of exact figures would otherwise have
/// infinitely good fits.
constexpr double resolution = 1e-3;

using Row = std::vector<double>;

/// cost[i][j]: sum of |x - median| of the values i to i + j, both included. A value adds its
/// distance from the interval of medians before it.
std::vector<Row> costs(const Row& values) {
  std::vector<Row> all(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    Row sorted;
    double sum = 0;
    for (std::size_t j = i; j < values.size(); ++j) {
      if (!sorted.empty()) {
        const double low = sorted[(sorted.size() - 1) / 2], high = sorted[sorted.size() / 2];
        sum += std::max({0.0, low - values[j], values[j] - high});
      }
      sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), values[j]), values[j]);
      all[i].push_back(sum);
    }
  }
  return all;
}

/// The least sum of deviations of the first `n` values in k + 1 levels, and where the last begins.
struct Fit {
  double sum = std::numeric_limits<double>::infinity();
  std::size_t begin = 0;
};

/// fits[k][n]
std::vector<std::vector<Fit>> best_fits(const Row& values) {
  const std::size_t n = values.size(), changes = std::min(most_changes, n / shortest_level - 1);
  const auto cost = costs(values);
  std::vector<std::vector<Fit>> fits(changes + 1, std::vector<Fit>(n + 1));
  for (std::size_t end = shortest_level; end <= n; ++end) fits[0][end] = {cost[0][end - 1], 0};
  for (std::size_t k = 1; k <= changes; ++k)
    for (std::size_t end = (k + 1) * shortest_level; end <= n; ++end)
      for (std::size_t begin = k * shortest_level; begin + shortest_level <= end; ++begin) {
        const double sum = fits[k - 1][begin].sum + cost[begin][end - begin - 1];
        if (sum < fits[k][end].sum) fits[k][end] = {sum, begin};
      }
  return fits;
}

/// Begins of all levels but the first.
std::vector<std::size_t> chosen_begins(const Row& values) {
  const auto fits = best_fits(values);
  const double n = static_cast<double>(values.size());
  std::size_t chosen = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < fits.size(); ++k) {
    const double deviation = std::max(fits[k].back().sum / n, resolution);
    const double criterion = n * std::log(deviation) + 4 * std::log(n) * static_cast<double>(k);
    if (criterion < least) {
      least = criterion;
      chosen = k;
    }
  }
  std::vector<std::size_t> begins(chosen);
  for (std::size_t k = chosen, end = values.size(); k > 0; --k)
    begins[k - 1] = end = fits[k][end].begin;
  return begins;
}

double median(Row values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::vector<ChangePoint> between_levels(const Row& values, const std::vector<std::size_t>& begins) {
  const auto level = [&](std::size_t begin, std::size_t end) {
    return std::exp(median(Row(values.begin() + static_cast<std::ptrdiff_t>(begin),
                               values.begin() + static_cast<std::ptrdiff_t>(end))));
  };
  std::vector<ChangePoint> points;
  for (std::size_t i = 0; i < begins.size(); ++i)
    points.push_back({begins[i], level(i == 0 ? 0 : begins[i - 1], begins[i]),
                      level(begins[i], i + 1 < begins.size() ? begins[i + 1] : values.size())});
  return points;
}

double size_of(const ChangePoint& point) { return std::abs(std::log(point.ratio())); }

}  // namespace

std::vector<ChangePoint> change_points(const std::vector<double>& values) {
  const std::size_t skipped = values.size() - std::min(values.size(), most_values);
  Row logs;
  for (std::size_t i = skipped; i < values.size(); ++i) logs.push_back(std::log(values[i]));
  if (logs.size() < 2 * shortest_level) return {};
  std::vector<std::size_t> begins = chosen_begins(logs);
  auto points = between_levels(logs, begins);
  while (!points.empty()) {
    const auto smallest = std::min_element(
        points.begin(), points.end(),
        [](const ChangePoint& a, const ChangePoint& b) { return size_of(a) < size_of(b); });
    if (size_of(*smallest) > std::log1p(least_change)) break;
    begins.erase(begins.begin() + (smallest - points.begin()));
    points = between_levels(logs, begins);
  }
  for (ChangePoint& point : points) point.at += skipped;
  return points;
}

std::vector<ChangePoint> change_points(const Series& series) {
  std::vector<double> seconds;
  std::vector<std::size_t> nights;
  for (std::size_t i = 0; i < series.nights.size(); ++i)
    if (const auto& time = series.nights[i].seconds) {
      seconds.push_back(time->value);
      nights.push_back(i);
    }
  auto points = change_points(seconds);
  for (ChangePoint& point : points) point.at = nights[point.at];
  return points;
}

}  // namespace rooftune::sweep
