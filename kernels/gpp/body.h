// The arithmetic of the Sigma-GPP kernel for one cell (band n, G', G, energy w), for every back
// end. The caller chooses the scalar type V (double or a short vector) and how to divide. No NaN
// comes in: the input has no energy on a pole.
#pragma once
#include "rooftune/portable.h"

namespace sigma_gpp {

constexpr double tol_zero = 1e-12;      ///< below it |delta|^2 counts as nothing
constexpr double limit_one = 1 / 4e-6;  ///< |delta|^2 from which a cell is near the pole
constexpr double limit_two = 0.25;      ///< |x - t|^2 up to which a cell is near the pole
constexpr double ssx_cutoff = 4;        ///< |ssx| / |e| that counts, below the Fermi energy

template <class V>
struct Complex {
  V re, im;
};

template <class V>
ROOFTUNE_FUNCTION Complex<V> operator+(const Complex<V>& a, const Complex<V>& b) {
  return {a.re + b.re, a.im + b.im};
}
template <class V>
ROOFTUNE_FUNCTION Complex<V> operator*(const Complex<V>& a, const Complex<V>& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
/// conj(a) b
template <class A, class V>
ROOFTUNE_FUNCTION Complex<V> conjugate_times(const Complex<A>& a, const Complex<V>& b) {
  return {a.re * b.re + a.im * b.im, a.re * b.im - a.im * b.re};
}
template <class A, class V>
ROOFTUNE_FUNCTION Complex<V> scaled(const A& factor, const Complex<V>& a) {
  return {factor * a.re, factor * a.im};
}
template <class V>
ROOFTUNE_FUNCTION V norm(const Complex<V>& a) {
  return a.re * a.re + a.im * a.im;
}
/// `mask ? a : b`, lane by lane.
template <class M, class V>
ROOFTUNE_FUNCTION V select(M mask, V a, V b) {
  return mask ? a : b;
}
template <class V>
ROOFTUNE_FUNCTION V absolute(const V& a) {
  return select(a < 0, -a, a);
}
template <class V>
ROOFTUNE_FUNCTION V larger(const V& a, const V& b) {
  return select(a > b, a, b);
}

// ---- several reciprocals with one division ------------------------------------------------

template <int Count, class V>
ROOFTUNE_FUNCTION V product_of(const V* d) {
  if constexpr (Count == 1)
    return d[0];
  else
    return product_of<Count / 2>(d) * product_of<Count - Count / 2>(d + Count / 2);
}

/// d[k] = 1/d[k], given the reciprocal of their product.
template <int Count, class V>
ROOFTUNE_FUNCTION void distribute(V* d, const V& inverse_product) {
  if constexpr (Count == 1) {
    d[0] = inverse_product;
  } else {
    constexpr int half = Count / 2;
    const V left = product_of<half>(d), right = product_of<Count - half>(d + half);
    distribute<half>(d, inverse_product * right);
    distribute<Count - half>(d + half, inverse_product * left);
  }
}

/// d[k] = 1/d[k]; `Batch` of them share one Numbers::inverse.
template <int Count, int Batch, class Numbers, class V>
ROOFTUNE_FUNCTION void invert(V* d) {
  constexpr int together = Count < Batch ? Count : Batch;
  distribute<together>(d, Numbers::inverse(product_of<together>(d)));
  if constexpr (Count > together) invert<Count - together, Batch, Numbers>(d + together);
}

// ---- as the literature writes it -------------------------------------------------------------

/// What of a cell does not depend on the energy.
template <class V>
struct Pair {
  Complex<V> t, e;        ///< wtilde, I_eps
  Complex<V> t2, omega2;  ///< t^2, t^2 e
  V cutoff;               ///< of |ssx|, or of its square
};

/// The two sums' terms, without v, occupation and matrix elements.
template <class V>
struct Terms {
  Complex<V> sch, ssx;
};

/// Rules: quotient(a, b) of complex numbers, quotient(a, b, |b|^2) where the norm is known,
/// magnitude(a) to be held against a cutoff, cutoff(e).
template <class V, class Rules>
ROOFTUNE_FUNCTION Pair<V> pair(const Complex<V>& t, const Complex<V>& e, const Rules& rules) {
  const Complex<V> t2 = t * t;
  return {t, e, t2, t2 * e, rules.cutoff(e)};
}

template <class V>
ROOFTUNE_FUNCTION Complex<V> difference_of_squares(double x, const Complex<V>& t2) {
  return {x * x - t2.re, -t2.im};
}
/// 4 t^2 (delta + 1/2)
template <class V>
ROOFTUNE_FUNCTION Complex<V> near_denominator(const Complex<V>& t2, const Complex<V>& delta) {
  return scaled(4.0, t2) * Complex<V>{delta.re + 0.5, delta.im};
}

/// One lane, one branch.
template <class Rules>
ROOFTUNE_FUNCTION Terms<double> branched(const Pair<double>& p, double x, bool with_ssx,
                                         const Rules& rules) {
  const Complex<double> d = {x - p.t.re, -p.t.im};
  const double distance = norm(d);
  const Complex<double> delta = rules.quotient(p.t, d, distance);
  const double ratio = norm(delta);
  Terms<double> result = {{0, 0}, {0, 0}};
  if (distance > limit_two && ratio < limit_one) {
    result.sch = delta * p.e;
    if (with_ssx) result.ssx = rules.quotient(p.omega2, difference_of_squares(x, p.t2));
  } else if (ratio > tol_zero && with_ssx) {
    result.ssx = rules.quotient(scaled(-1.0, p.omega2 * delta), near_denominator(p.t2, delta));
  }
  if (with_ssx && x < 0 && rules.magnitude(result.ssx) > p.cutoff) result.ssx = {0, 0};
  return result;
}

/// Every lane computes both branches with one division and keeps one of them.
template <class V, class Rules>
ROOFTUNE_FUNCTION Terms<V> masked(const Pair<V>& p, double x, bool with_ssx, const Rules& rules) {
  const V zero = V{}, one = 1.0 - V{};
  const Complex<V> d = {x - p.t.re, -p.t.im};
  const V distance = norm(d);
  const Complex<V> delta = rules.quotient(p.t, d, distance);
  const V ratio = norm(delta);
  // 1 or 0: a product of truths costs less than the logic of wide masks.
  const V far = select(distance > limit_two, select(ratio < limit_one, one, zero), zero);
  Terms<V> result = {scaled(far, delta * p.e), {zero, zero}};
  if (!with_ssx) return result;
  const Complex<V> c1 = difference_of_squares(x, p.t2), c2 = near_denominator(p.t2, delta);
  const Complex<V> n2 = scaled(-1.0, p.omega2 * delta);
  const auto is_far = far > 0.5;
  const Complex<V> n = {select(is_far, p.omega2.re, n2.re), select(is_far, p.omega2.im, n2.im)};
  Complex<V> c = {select(is_far, c1.re, c2.re), select(is_far, c1.im, c2.im)};
  // Where neither branch holds the denominator may vanish.
  const V counts = select(is_far, one, select(ratio > tol_zero, one, zero));
  c.re = select(counts > 0.5, c.re, one);
  const Complex<V> ssx = rules.quotient(n, c);
  const double kept_if_large = x < 0 ? 0 : 1;
  const V cut = select(rules.magnitude(ssx) > p.cutoff, kept_if_large - zero, one);
  result.ssx = scaled(counts * cut, ssx);
  return result;
}

// ---- by partial fractions -----------------------------------------------------------------
// With d = x - t and s = x + t: delta = t/d, and since 2 t^2 / (x^2 - t^2) = t/d - t/s,
//   far from the pole  sch = e t/d,  ssx = e t (1/d - 1/s) / 2
//   near it            sch = 0,      ssx = e t (0   - 1/s) / 2
// so e t comes out of the sum over bands, and |delta|^2 = |t|^2/|d|^2 turns the conditions into
// limits of |d|^2 that belong to the pole alone.

template <class V>
struct Pole {
  V re, im, im2;  ///< t and Im(t)^2
  V norm;         ///< |t|^2
  V limit;        ///< far where |d|^2 is above it
};

template <class V>
ROOFTUNE_FUNCTION Pole<V> pole(const Complex<V>& t) {
  const V im2 = t.im * t.im, size = t.re * t.re + im2;
  return {t.re, t.im, im2, size, larger(limit_two - V{}, size * (1 / limit_one))};
}

/// |x - t|^2 with its root on the real axis.
template <class V>
struct Distance {
  V along, square;
};
template <class V>
ROOFTUNE_FUNCTION Distance<V> below(const Pole<V>& t, double x) {
  const V along = x - t.re;
  return {along, along * along + t.im2};
}
template <class V>
ROOFTUNE_FUNCTION Distance<V> above(const Pole<V>& t, double x) {
  const V along = x + t.re;
  return {along, along * along + t.im2};
}

/// A complex number whose imaginary part still lacks the factor Im(t).
template <class V>
struct Reduced {
  V re, im;
};

/// conj(d)/|d|^2 = 1/d where the cell is far from the pole, else 0.
template <class V>
ROOFTUNE_FUNCTION Reduced<V> far_part(const Pole<V>& t, const Distance<V>& d, const V& inverse) {
  const V kept = select(d.square > t.limit, inverse, V{});
  return {d.along * kept, kept};
}

/// far_part - 1/s: t times it is 2 ssx/e.
template <class V>
ROOFTUNE_FUNCTION Reduced<V> exchange_part(const Distance<V>& s, const Reduced<V>& far,
                                           const V& inverse) {
  return {far.re - s.along * inverse, far.im + inverse};
}
/// sum M re(p) and sum M im(p) over bands.
template <class V>
struct Moments {
  Complex<V> along, across;

  ROOFTUNE_FUNCTION void add(const Complex<V>& product, const Reduced<V>& p) {
    along = along + scaled(p.re, product);
    across = across + scaled(p.im, product);
  }
  /// sum M p
  ROOFTUNE_FUNCTION Complex<V> whole(const V& t_im) const {
    return {along.re - t_im * across.im, along.im + t_im * across.re};
  }
};
/// |t p|^2, to be held against exchange_cutoff.
template <class V>
ROOFTUNE_FUNCTION V size(const Pole<V>& t, const Reduced<V>& p) {
  return t.norm * (p.re * p.re + t.im2 * (p.im * p.im));
}
/// Whether |delta|^2 can be below tol_zero without the cell being far from the pole.
template <class V>
ROOFTUNE_FUNCTION auto may_vanish(const Pole<V>& t) {
  return t.norm <= 2 * limit_two * tol_zero;
}
/// Where may_vanish: positive where the cell has an exchange term.
template <class V>
ROOFTUNE_FUNCTION V reach(const Pole<V>& t, const Distance<V>& d) {
  return select(d.square > t.limit, 1.0 - V{}, t.norm * (1 / tol_zero) - d.square);
}

/// (2 ssx_cutoff)^2 below the Fermi energy, out of reach above it.
ROOFTUNE_FUNCTION double exchange_cutoff(double x) {
  return x < 0 ? 4 * ssx_cutoff * ssx_cutoff : 1e300;
}

}  // namespace sigma_gpp
