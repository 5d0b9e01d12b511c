// The arrays of a Sigma-GPP calculation and the memory they take, told before anything is
// allocated. The caller names the place to which a refusal points.
#pragma once
#include <cstdint>
#include <string>

#include "rooftune/problem_input.h"

namespace gpp_input {

struct Sizes {
  std::int64_t nb, ng, nc, nw;

  double cells() const {
    return static_cast<double>(nb) * static_cast<double>(ng) * static_cast<double>(nc) *
           static_cast<double>(nw);
  }
  double bytes() const {
    const auto b = static_cast<double>(nb), g = static_cast<double>(ng),
               c = static_cast<double>(nc), w = static_cast<double>(nw);
    return 32 * g * c + 16 * b * c + 16 * b * g + 8 * (g + b + b * w) + 64 * w;
  }
};

/// All arrays as the manifest lays them out: complex numbers are pairs.
struct Input {
  Sizes size;
  double *wtilde, *i_eps, *aqsn, *aqsm, *vcoul, *occ, *wx;
};

inline Input allocate(rooftune::Problem& p, const Sizes& s, const std::string& where) {
  check_memory(p, s.bytes(), "the arrays need", where, "fewer bands, G or G' vectors");
  if (s.cells() > 1e17)
    refuse(p, "more cells than can be counted exactly", where, "at most 1e17: bands G' G energies");
  return {s,
          p.float64("wtilde", 2 * s.ng * s.nc),
          p.float64("i_eps", 2 * s.ng * s.nc),
          p.float64("aqsn", 2 * s.nb * s.nc),
          p.float64("aqsm", 2 * s.nb * s.ng),
          p.float64("vcoul", s.ng),
          p.float64("occ", s.nb),
          p.float64("wx", s.nb * s.nw)};
}

/// Deterministic data that meets every branch: about 95 % of the cells far from the pole, 5 % near,
/// 3 % cut off.
inline Input generated(rooftune::Problem& p) {
  const Sizes s = {p.integer("nb"), p.integer("ngpown"), p.integer("ncouls"), p.integer("nw")};
  const Input in = allocate(p, s, "--problem");
  std::uint64_t state = static_cast<std::uint64_t>(p.integer("seed"));
  const auto unit = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-53;
  };
  const auto fill = [&unit](double* to, std::int64_t count, double re, double re_span, double im,
                            double im_span) {
    for (std::int64_t k = 0; k < count; ++k) {
      to[2 * k] = re + re_span * unit();
      to[2 * k + 1] = im + im_span * unit();
    }
  };
  fill(in.wtilde, s.ng * s.nc, 0.5, 4.5, -0.5, 1);
  fill(in.i_eps, s.ng * s.nc, -1, 2, -0.2, 0.4);
  fill(in.aqsn, s.nb * s.nc, -1, 2, -1, 2);
  fill(in.aqsm, s.nb * s.ng, -1, 2, -1, 2);
  for (std::int64_t g = 0; g < s.ng; ++g) in.vcoul[g] = 1 / (1 + 0.01 * static_cast<double>(g + 1));
  const std::int64_t valence = p.integer("nvband");
  for (std::int64_t n = 0; n < s.nb; ++n) {
    in.occ[n] = n + 1 < valence ? 1 : n + 1 == valence ? 0.5 : 0;
    for (std::int64_t w = 0; w < s.nw; ++w)
      in.wx[n * s.nw + w] = -8 + 16 * static_cast<double>(n + 1) / static_cast<double>(s.nb) +
                            0.5 * (static_cast<double>(w + 1) - 2);
  }
  return in;
}

}  // namespace gpp_input
