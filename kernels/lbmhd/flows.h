// Initial density, velocity and magnetic field of the flows that lbmhd starts from.
// Lattice units; phases run over the whole box along each axis.
#pragma once
#include <cmath>
#include <cstdint>
#include <string>

namespace mhd {

struct Flow {
  double density, u[3], b[3];
};

struct Box {
  std::int64_t n[3];
  double phase(std::int64_t i, int axis) const {
    return 2 * 3.14159265358979323846 * static_cast<double>(i) / static_cast<double>(n[axis]);
  }
};

/// Orszag and Tang, J. Fluid Mech. 90 (1979).
inline Flow orszag_tang_2d(double a, double x, double y) {
  return {1, {-a * std::sin(y), a * std::sin(x), 0}, {-a * std::sin(y), a * std::sin(2 * x), 0}};
}

/// Its form in three dimensions.
inline Flow orszag_tang_3d(double a, double x, double y, double z) {
  return {1,
          {-2 * a * std::sin(y), 2 * a * std::sin(x), 0},
          {a * (-2 * std::sin(2 * y) + std::sin(z)), a * (2 * std::sin(x) + std::sin(z)),
           a * (std::sin(x) + std::sin(y))}};
}

/// Travels along the constant field at its speed and keeps its shape.
inline Flow alfven(double a, double background, double x) {
  const double c = a * std::cos(x), s = a * std::sin(x);
  return {1, {0, -c, -s}, {background, c, s}};
}

/// With the density of its pressure, p = density / 3.
inline Flow taylor_green(double a, double x, double y) {
  const double pressure = -a * a / 4 * (std::cos(2 * x) + std::cos(2 * y));
  return {1 + 3 * pressure,
          {-a * std::cos(x) * std::sin(y), a * std::sin(x) * std::cos(y), 0},
          {0, 0, 0}};
}

/// Arnold, Beltrami and Childress: curl B = k B, so that the field exerts no force.
inline Flow abc(double a, double x, double y, double z) {
  return {1,
          {0, 0, 0},
          {a * (std::sin(z) + std::cos(y)), a * (std::sin(x) + std::cos(z)),
           a * (std::sin(y) + std::cos(x))}};
}

inline Flow flow_at(const std::string& initial, double a, double background, double x, double y,
                    double z) {
  if (initial == "orszag_tang_2d") return orszag_tang_2d(a, x, y);
  if (initial == "alfven") return alfven(a, background, x);
  if (initial == "taylor_green") return taylor_green(a, x, y);
  if (initial == "abc") return abc(a, x, y, z);
  if (initial == "uniform") return {1, {a, a / 2, -a / 4}, {background, 0, 0}};
  return orszag_tang_3d(a, x, y, z);
}

}  // namespace mhd
