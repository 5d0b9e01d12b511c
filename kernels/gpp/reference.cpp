// The Sigma-GPP kernel of BerkeleyGW (full form, both branches, cutoff, occupied part), serial and
// plain. The caller provides complex numbers as pairs of doubles: wtilde, i_eps (ig fastest, then
// igp), aqsn (ig fastest, then n), aqsm (igp fastest, then n), wx (w fastest, then n) with |wx| >=
// 1e-12; sigma gets Re, Im of asx and Re, Im of ach for each energy.
#include <complex>
#include <cstdint>
#include <vector>

namespace {

using Complex = std::complex<double>;

struct Terms {
  Complex sch, ssx;
};

Terms terms(Complex t, Complex e, double x) {
  const double tol_zero = 1e-12, limit_one = 1 / 4e-6, limit_two = 0.25, cutoff = 4;
  const Complex omega2 = t * t * e, d = x - t;
  const double distance = std::norm(d);
  const Complex delta = t * std::conj(d) / distance;
  const double ratio = std::norm(delta);
  Terms result{0, 0};
  if (distance > limit_two && ratio < limit_one) {
    const Complex c = x * x - t * t;
    result.sch = delta * e;
    result.ssx = omega2 * std::conj(c) / std::norm(c);
  } else if (ratio > tol_zero) {
    const Complex c = 4.0 * t * t * (delta + 0.5);
    result.ssx = -omega2 * delta * std::conj(c) / std::norm(c);
  }
  // |ssx| > 4 |e|, as squares.
  if (x < 0 && std::norm(result.ssx) > cutoff * cutoff * std::norm(e)) result.ssx = 0;
  return result;
}

}  // namespace

void gpp(std::int64_t nb, std::int64_t ngpown, std::int64_t ncouls, std::int64_t nw,
         const double* wtilde, const double* i_eps, const double* aqsn, const double* aqsm,
         const double* vcoul, const double* occ, const double* wx, double* sigma) {
  const auto* t = reinterpret_cast<const Complex*>(wtilde);
  const auto* e = reinterpret_cast<const Complex*>(i_eps);
  const auto* a = reinterpret_cast<const Complex*>(aqsn);
  const auto* m = reinterpret_cast<const Complex*>(aqsm);
  std::vector<Complex> asx(static_cast<std::size_t>(nw)), ach(asx);
  for (std::int64_t n = 0; n < nb; ++n)
    for (std::int64_t g = 0; g < ngpown; ++g)
      for (std::int64_t w = 0; w < nw; ++w) {
        // Sums of rows first: billions of terms in one sum would lose digits.
        Complex row_asx = 0, row_ach = 0;
        for (std::int64_t i = 0; i < ncouls; ++i) {
          const Terms x = terms(t[g * ncouls + i], e[g * ncouls + i], wx[n * nw + w]);
          const Complex product = std::conj(m[n * ngpown + g]) * a[n * ncouls + i];
          row_asx -= vcoul[g] * occ[n] * x.ssx * product;
          row_ach += 0.5 * vcoul[g] * x.sch * product;
        }
        asx[static_cast<std::size_t>(w)] += row_asx;
        ach[static_cast<std::size_t>(w)] += row_ach;
      }
  for (std::int64_t w = 0; w < nw; ++w) {
    const Complex x = asx[static_cast<std::size_t>(w)], h = ach[static_cast<std::size_t>(w)];
    sigma[4 * w] = x.real();
    sigma[4 * w + 1] = x.imag();
    sigma[4 * w + 2] = h.real();
    sigma[4 * w + 3] = h.imag();
  }
}
