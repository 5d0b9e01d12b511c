// Bonds of one lane each: where the neighbour is, angle, switching function and their slopes.
// Distances lie between 0 and the cutoff.
#pragma once
#include "knobs.h"

namespace snap_kernel {

/// The atoms and their bonds, as the caller of the kernel gives them.
struct Atoms {
  std::int64_t count = 0;
  double cutoff = 0;
  const double* beta = nullptr;
  const std::int32_t *first = nullptr, *neighbour = nullptr, *mirror = nullptr;
  const double* displacement = nullptr;

  std::int64_t bonds(std::int64_t atom) const {
    return atom < count ? first[atom + 1] - first[atom] : 0;
  }
  /// Most bonds among the atoms of one vector.
  std::int64_t most_bonds(std::int64_t atom) const {
    std::int64_t most = bonds(atom);
    for (int l = 1; l < atom_lanes; ++l) most = bonds(atom + l) > most ? bonds(atom + l) : most;
    return most;
  }
  /// Bond of lane `l` for the atom or atoms from `atom` on, neighbour k or k + l; -1: none.
  ROOFTUNE_INLINE std::int64_t bond(std::int64_t atom, std::int64_t k, int l) const {
    const std::int64_t i = atom_lanes > 1 ? atom + l : atom, n = neighbour_lanes > 1 ? k + l : k;
    return n < bonds(i) ? first[i] + n : -1;
  }
};

#if KNOB_TRIGONOMETRY == KNOB_TRIGONOMETRY_POLYNOMIAL
/// 1/sqrt(x), last bits by Newton's method: 3.5 % from the exponent, squared in every step.
template <int W>
ROOFTUNE_INLINE rooftune::Vector<W> inverse_root(const rooftune::Vector<W>& x) {
  rooftune::Vector<W> y{};
  for (int l = 0; l < W; ++l) {
    std::int64_t bits;
    const double value = lane<W>(x, l);
    __builtin_memcpy(&bits, &value, sizeof bits);
    bits = 0x5fe6eb50c7b537a9 - (bits >> 1);
    double guess;
    __builtin_memcpy(&guess, &bits, sizeof guess);
    set_lane<W>(y, l, guess);
  }
  for (int step = 0; step < 4; ++step) y = y * (1.5 - 0.5 * x * y * y);
  return y;
}

/// Sine and cosine on [0, pi] by Taylor series about pi/2; the first terms left out are 1e-18.
template <class T>
ROOFTUNE_INLINE void sine_cosine(const T& angle, T& sine, T& cosine) {
  const T h = angle - 1.57079632679489661923, q = h * h;
  T c = T{} + 1.0, s = T{} + 1.0;
  for (int n = 22; n >= 2; n -= 2) c = 1.0 - q * c * (1.0 / (n * (n - 1)));
  for (int n = 21; n >= 3; n -= 2) s = 1.0 - q * s * (1.0 / (n * (n - 1)));
  sine = c;
  cosine = -(h * s);
}
#else
template <int W>
ROOFTUNE_INLINE rooftune::Vector<W> inverse_root(const rooftune::Vector<W>& x) {
  rooftune::Vector<W> y{};
  for (int l = 0; l < W; ++l) set_lane<W>(y, l, 1 / __builtin_sqrt(lane<W>(x, l)));
  return y;
}

template <class T>
ROOFTUNE_INLINE void sine_cosine(const T& angle, T& sine, T& cosine) {
  constexpr int w = sizeof(T) / sizeof(double);
  for (int l = 0; l < w; ++l) {
    set_lane<w>(sine, l, __builtin_sin(lane<w>(angle, l)));
    set_lane<w>(cosine, l, __builtin_cos(lane<w>(angle, l)));
  }
}
#endif

/// Bonds of all lanes; a lane without one gets a switching function of zero.
ROOFTUNE_INLINE Geometry<BondLanes> geometry(const Atoms& atoms, std::int64_t atom,
                                             std::int64_t k) {
  using T = BondLanes;
  T d[3] = {}, present{};
  for (int l = 0; l < bond_lanes; ++l) {
    const std::int64_t p = atoms.bond(atom, k, l);
    for (int c = 0; c < 3; ++c)
      set_lane<bond_lanes>(d[c], l, p >= 0 ? atoms.displacement[3 * p + c] : 0.25 * atoms.cutoff);
    set_lane<bond_lanes>(present, l, p >= 0 ? 1.0 : 0.0);
  }
  Geometry<T> g;
  const T square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  g.inverse_r = inverse_root<bond_lanes>(square);
  for (int c = 0; c < 3; ++c) g.unit[c] = d[c] * g.inverse_r;
  const T phase = square * g.inverse_r * (pi / atoms.cutoff);
  g.angle_slope = T{} + angle_share * pi / atoms.cutoff;
  sine_cosine(T(phase * angle_share), g.sine, g.cosine);
  T sine{}, cosine{};
  sine_cosine(phase, sine, cosine);
  g.fc = 0.5 * present * (cosine + 1.0);
  g.fc_slope = (-0.5 * pi / atoms.cutoff) * present * sine;
  return g;
}

}  // namespace snap_kernel
