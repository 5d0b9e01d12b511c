// The portable cell formulas of Sigma-GPP against each other and against complex division, cell by
// cell, for poles and energies on either side of every limit.
#include "../../../kernels/gpp/body.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <complex>

namespace {

using C = std::complex<double>;
namespace kernel = sigma_gpp;

struct Exact {
  static kernel::Complex<double> quotient(kernel::Complex<double> a, kernel::Complex<double> b) {
    const C q = C(a.re, a.im) / C(b.re, b.im);
    return {q.real(), q.imag()};
  }
  static kernel::Complex<double> quotient(kernel::Complex<double> a, kernel::Complex<double> b,
                                          double) {
    return quotient(a, b);
  }
  static double magnitude(kernel::Complex<double> a) { return std::hypot(a.re, a.im); }
  static double cutoff(kernel::Complex<double> a) { return 4 * magnitude(a); }
};

C complex(const kernel::Complex<double>& z) { return {z.re, z.im}; }

/// By partial fractions: {sch, ssx}.
std::pair<C, C> fractions(C t, C e, double x) {
  const kernel::Pole<double> pole = kernel::pole(kernel::Complex<double>{t.real(), t.imag()});
  const auto d = kernel::below(pole, x), s = kernel::above(pole, x);
  const auto far = kernel::far_part(pole, d, 1 / d.square);
  auto exchange = kernel::exchange_part(s, far, 1 / s.square);
  if (kernel::size(pole, exchange) > kernel::exchange_cutoff(x)) exchange = {0, 0};
  if (kernel::may_vanish(pole) && !(kernel::reach(pole, d) > 0)) exchange = {0, 0};
  const auto whole = [&](const kernel::Reduced<double>& p) {
    return e * t * C(p.re, t.imag() * p.im);
  };
  return {whole(far), 0.5 * whole(exchange)};
}

}  // namespace

TEST_CASE("partial fractions, branches and masks give the same terms") {
  int far = 0, near = 0, cut = 0, nothing = 0;
  const C e(0.7, -0.2);
  for (const double re : {1e-8, 0.3, 1.0, 2.5, 5.0, 600.0, -1.5})
    for (const double im : {-0.5, -0.01, 1e-9, 0.2})
      for (const double x : {-8.0, -2.6, -2.0, -0.9, 1e-12, 0.1, 0.7, 1.1, 2.4, 4.6, 599.3}) {
        const C t(re, im);
        INFO("t = " << t << ", x = " << x);
        const auto pair = kernel::pair(kernel::Complex<double>{re, im},
                                       kernel::Complex<double>{e.real(), e.imag()}, Exact{});
        const auto branched = kernel::branched(pair, x, true, Exact{});
        const auto masked = kernel::masked(pair, x, true, Exact{});
        const auto [sch, ssx] = fractions(t, e, x);
        const double scale =
            std::abs(e) * (std::abs(t / (x - t)) + std::abs(t / (x + t))) * 1e-14 + 1e-300;
        CHECK(complex(masked.sch) == complex(branched.sch));
        CHECK(std::abs(complex(masked.ssx) - complex(branched.ssx)) <= scale);
        CHECK(std::abs(sch - complex(branched.sch)) <= scale);
        CHECK(std::abs(ssx - complex(branched.ssx)) <= scale);
        const bool is_far = sch != C(0);
        far += is_far;
        near += !is_far && ssx != C(0);
        cut += is_far && ssx == C(0);
        nothing += !is_far && ssx == C(0);
      }
  CHECK(far > 100);
  CHECK(near > 10);
  CHECK(cut > 3);
  CHECK(nothing > 0);
}
