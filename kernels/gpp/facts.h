// What follows from the data: how many cells take which branch, the size of the terms that the sums
// are made of, and whether an energy lies on a pole. The caller checks poles before the rest.
#pragma once
#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "input.h"

namespace gpp_input {

struct Facts {
  double pairs = 0;           ///< (n, G') looked at
  double triples = 0;         ///< (n, G', G) with a term in any sum
  double far = 0;             ///< cells far from the pole: terms of ach
  double exchange = 0;        ///< cells with a term of asx
  double near = 0;            ///< cells near the pole
  double cut = 0;             ///< cells cut off
  std::vector<double> scale;  ///< per energy: sizes of the terms of asx, of ach
};

/// Refuses an energy on a pole, where the formulas divide by zero.
inline void refuse_poles(rooftune::Problem& p, const Input& in, const std::string& where) {
  std::vector<double> energies(in.wx, in.wx + in.size.nb * in.size.nw);
  std::sort(energies.begin(), energies.end());
  constexpr double least = 1e-15;
  for (std::int64_t k = 0; k < in.size.ng * in.size.nc; ++k) {
    if (std::abs(in.wtilde[2 * k + 1]) > least) continue;
    for (const double x : {in.wtilde[2 * k], -in.wtilde[2 * k]}) {
      const auto next = std::lower_bound(energies.begin(), energies.end(), x - least);
      if (next == energies.end() || *next > x + least) continue;
      refuse(p,
             "wtilde: element (" + std::to_string(k % in.size.nc + 1) + ", " +
                 std::to_string(k / in.size.nc + 1) +
                 ") is real and equal to an energy of wx: the formulas divide by zero there",
             where, "shift the energies, or give wtilde an imaginary part");
    }
  }
}

/// Adds the cells of one band and one G'.
inline void count(const Input& in, std::int64_t n, std::int64_t g, Facts& facts) {
  using Complex = std::complex<double>;
  const auto* t = reinterpret_cast<const Complex*>(in.wtilde) + g * in.size.nc;
  const auto* e = reinterpret_cast<const Complex*>(in.i_eps) + g * in.size.nc;
  const auto* a = reinterpret_cast<const Complex*>(in.aqsn) + n * in.size.nc;
  const double m =
      std::abs(reinterpret_cast<const Complex*>(in.aqsm)[n * in.size.ng + g]) * in.vcoul[g] / 2;
  facts.pairs += 1;
  for (std::int64_t i = 0; i < in.size.nc; ++i) {
    const double t2 = std::norm(t[i]);
    const double size = std::sqrt(std::norm(e[i]) * std::norm(a[i]) * t2) * m;
    bool active = false;
    for (std::int64_t w = 0; w < in.size.nw; ++w) {
      const double x = in.wx[n * in.size.nw + w];
      const double distance = std::norm(x - t[i]), sum = std::norm(x + t[i]);
      const bool far = distance > 0.25 && t2 < 250000 * distance;
      const double inverse = far ? 1 / distance : 0;
      // |t| |1/d - 1/s| / 2 is |ssx| / |e|.
      const Complex ssx = std::conj(x - t[i]) * inverse - std::conj(x + t[i]) / sum;
      const bool cut = x < 0 && t2 * std::norm(ssx) > 64;
      const bool exchange = in.occ[n] != 0 && !cut && (far || t2 > 1e-12 * distance);
      const double root = far ? 1 / std::sqrt(distance) : 0;
      facts.far += far;
      facts.near += !far;
      facts.cut += cut;
      facts.exchange += exchange;
      active = active || far || exchange;
      double* scale = facts.scale.data() + 2 * w;
      if (exchange) scale[0] += in.occ[n] * size * (root + 1 / std::sqrt(sum));
      scale[1] += size * root;
    }
    facts.triples += active;
  }
}

/// Counts every cell, or of large inputs a regular sample of about 1e7 cells, scaled up.
inline Facts facts_of(const Input& in) {
  Facts facts;
  facts.scale.assign(static_cast<std::size_t>(2 * in.size.nw), 0.0);
  const std::int64_t pairs = in.size.nb * in.size.ng;
  const auto per_pair = static_cast<double>(in.size.nc * in.size.nw);
  auto step = static_cast<std::int64_t>(static_cast<double>(pairs) * per_pair / 1e7) + 1;
  // Not a divisor of the row length, or the same G' would come again and again.
  while (step > 1 && std::__gcd(step, in.size.ng) != 1) ++step;
  for (std::int64_t k = 0; k < pairs; k += step) count(in, k / in.size.ng, k % in.size.ng, facts);
  const double up = static_cast<double>(pairs) / facts.pairs;
  // The least work of a sample must not exceed that of the whole.
  const double down = step > 1 ? 0.99 * up : 1;
  for (double* counted : {&facts.triples, &facts.far, &facts.exchange}) *counted *= down;
  for (double* counted : {&facts.near, &facts.cut}) *counted *= up;
  for (double& s : facts.scale) s *= up;
  return facts;
}

}  // namespace gpp_input
