// How the literature's formulas divide complex numbers and compare their magnitudes, on every back
// end. Each brings its Numbers: inverse(x), square_root(x), and smith(a, b) if it divides so.
#pragma once
#include "body.h"

namespace sigma_gpp {

/// After Smith (1962): no overflow of |b|^2, three divisions. By the real |b|^2: two, or one.
enum class Division { smith, real, reciprocal };

/// `Roots`: magnitudes are |a|, else |a|^2.
template <class V, class Numbers, Division By, bool Roots>
struct RulesOf {
  static ROOFTUNE_FUNCTION Complex<V> quotient(const Complex<V>& a, const Complex<V>& b,
                                               const V& b_norm) {
    if constexpr (By == Division::smith) {
      return Numbers::smith(a, b);
    } else {
      const Complex<V> product = conjugate_times(b, a);
      if constexpr (By == Division::real) return {product.re / b_norm, product.im / b_norm};
      return scaled(Numbers::inverse(b_norm), product);
    }
  }
  static ROOFTUNE_FUNCTION Complex<V> quotient(const Complex<V>& a, const Complex<V>& b) {
    return quotient(a, b, norm(b));
  }
  static ROOFTUNE_FUNCTION V magnitude(const Complex<V>& a) {
    if constexpr (Roots)
      return Numbers::square_root(norm(a));
    else
      return norm(a);
  }
  static ROOFTUNE_FUNCTION V cutoff(const Complex<V>& e) {
    return (Roots ? ssx_cutoff : ssx_cutoff * ssx_cutoff) * magnitude(e);
  }
};

}  // namespace sigma_gpp
