#include "report/labels.h"

#include <algorithm>
#include <array>
#include <complex>
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

using Point = std::complex<double>;

/// Along the box, or with a quarter turn across it.
Point direction(const Box& box, double quarters = 0) {
  return std::polar(1.0, box.angle * std::numbers::pi / 180 + quarters * std::numbers::pi / 2);
}

std::array<Point, 4> corners(const Box& box) {
  const Point along = direction(box) * (box.width / 2),
              across = direction(box, 1) * (box.height / 2);
  const Point centre(box.x, box.y);
  return {centre - along - across, centre + along - across, centre + along + across,
          centre - along + across};
}

/// Both ends of the shadow of these corners on a line of this direction.
std::pair<double, double> shadow(const std::array<Point, 4>& all, Point line) {
  const auto [low, high] = std::minmax_element(all.begin(), all.end(), [&](Point a, Point b) {
    return (std::conj(line) * (a - b)).real() < 0;
  });
  return {(std::conj(line) * *low).real(), (std::conj(line) * *high).real()};
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
  // Boxes are apart when a side of one separates them (separating axis theorem).
  const auto corners_a = corners(a), corners_b = corners(b);
  for (const Point side : {direction(a), direction(a, 1), direction(b), direction(b, 1)}) {
    const auto [low_a, high_a] = shadow(corners_a, side);
    const auto [low_b, high_b] = shadow(corners_b, side);
    if (high_a <= low_b || high_b <= low_a) return false;
  }
  return true;
}

bool LabelLayout::free(const Box& box) const {
  for (const Point& p : corners(box))
    if (p.real() < left_ || p.real() > right_ || p.imag() < top_ || p.imag() > bottom_)
      return false;
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

}  // namespace rooftune::report
