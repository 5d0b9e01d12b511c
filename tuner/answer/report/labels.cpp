#include "report/labels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace rooftune::report {
namespace {

/// Advance of a character in em, after DejaVu Sans, the widest of the usual fonts.
double advance(char c) {
  static constexpr std::string_view narrow = "iljI.,:;'|! ", slim = "()[]frt-/\"";
  static constexpr std::string_view wide = "mwMWQGO%@+=<>~";
  if (narrow.find(c) != std::string_view::npos) return 0.33;
  if (slim.find(c) != std::string_view::npos) return 0.42;
  if (wide.find(c) != std::string_view::npos) return 0.9;
  if (c >= 'A' && c <= 'Z') return 0.7;
  return 0.635;
}

struct Point {
  double x, y;
};

std::array<Point, 4> corners(const Box& box) {
  const double angle = box.angle * std::numbers::pi / 180;
  const double c = std::cos(angle), s = std::sin(angle);
  std::array<Point, 4> points{};
  const std::array<Point, 4> signs{{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
  for (std::size_t i = 0; i < 4; ++i) {
    const double dx = signs[i].x * box.width / 2, dy = signs[i].y * box.height / 2;
    points[i] = {box.x + c * dx - s * dy, box.y + s * dx + c * dy};
  }
  return points;
}

/// True when a side of `box` separates it from `other` (separating axis theorem).
bool separated(const Box& box, const std::array<Point, 4>& own, const std::array<Point, 4>& other) {
  const double angle = box.angle * std::numbers::pi / 180;
  for (const double turn : {0.0, std::numbers::pi / 2}) {
    const double ax = std::cos(angle + turn), ay = std::sin(angle + turn);
    const auto range = [&](const std::array<Point, 4>& points) {
      double low = INFINITY, high = -INFINITY;
      for (const Point& p : points) {
        low = std::min(low, p.x * ax + p.y * ay);
        high = std::max(high, p.x * ax + p.y * ay);
      }
      return std::pair(low, high);
    };
    const auto [low_a, high_a] = range(own);
    const auto [low_b, high_b] = range(other);
    if (high_a <= low_b || high_b <= low_a) return true;
  }
  return false;
}

}  // namespace

double text_width(std::string_view text, double size) {
  double ems = 0;
  for (const char c : text)
    // Continuation bytes belong to the character before them.
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) ems += advance(c);
  return ems * size;
}

bool overlap(const Box& a, const Box& b) {
  const auto pa = corners(a), pb = corners(b);
  return !separated(a, pa, pb) && !separated(b, pb, pa);
}

LabelLayout::LabelLayout(double left, double top, double right, double bottom)
    : left_(left), top_(top), right_(right), bottom_(bottom) {}

bool LabelLayout::free(const Box& box) const {
  for (const Point& p : corners(box))
    if (p.x < left_ || p.x > right_ || p.y < top_ || p.y > bottom_) return false;
  return std::none_of(taken_.begin(), taken_.end(),
                      [&](const Box& other) { return overlap(box, other); });
}

std::optional<Box> LabelLayout::place(const std::vector<Box>& candidates) {
  for (const Box& box : candidates)
    if (free(box)) {
      take(box);
      return box;
    }
  return std::nullopt;
}

std::vector<double> spread(std::vector<double> wanted, double spacing, double low, double high) {
  if (wanted.empty()) return wanted;
  // Clusters of touching labels sit centred on the mean of their members' targets.
  struct Cluster {
    double sum;
    std::size_t count;
    double centre() const { return sum / static_cast<double>(count); }
  };
  std::vector<Cluster> clusters;
  const auto half = [&](const Cluster& c) { return spacing * static_cast<double>(c.count) / 2; };
  const auto bounded = [&](const Cluster& c) {
    return std::clamp(c.centre(), std::min(low + half(c), high - half(c)),
                      std::max(low + half(c), high - half(c)));
  };
  for (const double position : wanted) {
    clusters.push_back({position, 1});
    while (clusters.size() > 1) {
      Cluster& last = clusters.back();
      Cluster& before = clusters[clusters.size() - 2];
      if (bounded(before) + half(before) <= bounded(last) - half(last) + 1e-9) break;
      before.sum += last.sum;
      before.count += last.count;
      clusters.pop_back();
    }
  }
  std::vector<double> placed;
  for (const Cluster& c : clusters)
    for (std::size_t i = 0; i < c.count; ++i)
      placed.push_back(bounded(c) - half(c) + spacing * (static_cast<double>(i) + 0.5));
  return placed;
}

}  // namespace rooftune::report
